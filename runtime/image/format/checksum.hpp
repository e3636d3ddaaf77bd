// The checksums of an image.
#pragma once
#define XXH_DISPATCH_DISABLE_REPLACE
#include <xxh_x86dispatch.h>
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace mana::image {

/// XXH3-64 by the widest vectors of the processor: the value of XXH3_64bits in half the time. Not for use next to a
/// codec, which loses more time than the checksum gains (docs/design/image.md).
inline std::uint64_t wide_checksum(const void* bytes, std::size_t n) noexcept { return XXH3_64bits_dispatch(bytes, n); }

/// Of a compressed chunk: XXH3-64 over the stored bytes, seeded with the XXH3-64 of the chunk's memory.
std::uint64_t packed_checksum(const char* memory, std::size_t bytes, const char* stored, std::size_t stored_bytes) noexcept;

/// Of a chunk. The checksum covers both the memory and the stored bytes, since different blocks may unpack to the same
/// memory.
/// stored: equal to memory if it is not compressed
inline std::uint64_t chunk_checksum(const char* memory, std::size_t bytes, const char* stored,
                                    std::size_t stored_bytes) noexcept {
  return stored_bytes == bytes ? wide_checksum(memory, bytes) : packed_checksum(memory, bytes, stored, stored_bytes);
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
