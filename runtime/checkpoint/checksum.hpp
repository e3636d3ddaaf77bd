// The checksums of an image.
#pragma once
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace mana::image {

/// Of a chunk. Both its memory and what the file holds of it count: different blocks may unpack to the same memory.
/// stored: equal to memory if it is not compressed
inline std::uint64_t chunk_checksum(const char* memory, std::size_t bytes, const char* stored,
                                    std::size_t stored_bytes) noexcept {
  const std::uint64_t of_memory = XXH3_64bits(memory, bytes);
  return stored_bytes == bytes ? of_memory : XXH3_64bits_withSeed(stored, stored_bytes, of_memory);
}

/// XXH3-64 over bytes that come in parts.
class checksum_state {
 public:
  checksum_state() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(const void* bytes, std::size_t n) noexcept { XXH3_64bits_update(state_.get(), bytes, n); }
  std::uint64_t digest() const noexcept { return XXH3_64bits_digest(state_.get()); }

 private:
  struct free_state { void operator()(XXH3_state_t* s) const noexcept { XXH3_freeState(s); } };
  std::unique_ptr<XXH3_state_t, free_state> state_;
};

}  // namespace mana::image
