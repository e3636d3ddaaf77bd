// Memory for pieces of blocks, and checksums of blocks that arrive in pieces.
#pragma once
#include <runtime/redundancy/erasure_code.hpp>

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

namespace mana::redundancy {

/// Several pieces of equal size, aligned to pages, initially zero.
class piece_memory {
 public:
  void make(std::size_t count, std::size_t bytes) {
    bytes_ = bytes;
    memory_.reset(static_cast<std::byte*>(::operator new[](count * bytes, alignment)));
    std::fill_n(memory_.get(), count * bytes, std::byte{0});
  }
  bytes_span piece(std::size_t i, std::size_t bytes) const noexcept { return {memory_.get() + i * bytes_, bytes}; }

 private:
  static constexpr std::align_val_t alignment{4096};
  struct release { void operator()(std::byte* p) const noexcept { ::operator delete[](p, alignment); } };
  std::unique_ptr<std::byte[], release> memory_;
  std::size_t bytes_ = 0;
};

class running_checksum {
 public:
  running_checksum() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(bytes_view bytes) noexcept { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  std::uint64_t digest() const noexcept { return XXH3_64bits_digest(state_.get()); }

 private:
  struct release { void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); } };
  std::unique_ptr<XXH3_state_t, release> state_;
};

/// Calls work(at, bytes) for each piece of a block, in order.
template <class Work>
void for_each_piece(std::uint64_t block_bytes, std::size_t piece_bytes, Work&& work) {
  for (std::uint64_t at = 0; at < block_bytes; at += piece_bytes)
    work(at, static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, block_bytes - at)));
}

}  // namespace mana::redundancy
