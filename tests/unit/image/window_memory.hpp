// Memory in the window (and below 4 GiB) of known contents, made and recognized again.
#pragma once
#include <mana/lower/abi.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace window_memory {

inline constexpr std::size_t page = 4096;
inline constexpr std::uintptr_t heap = mana::lower::mmap_zone, sparse = heap + (16ul << 30),
                                hidden = heap + (2ul << 30), code = heap + (3ul << 30), library = heap + (4ul << 30),
                                shared = heap + (5ul << 30), file = heap + (6ul << 30), fixed = 0x2000'0000;
inline constexpr std::size_t heap_bytes = 2'000 * page, sparse_bytes = std::size_t{8} << 30, small = 16 * page;

/// The same pseudo-random words for the same seed; one in four pages is zero, one in four repeats itself.
inline void fill(std::uintptr_t begin, std::size_t bytes, std::uint64_t seed) {
  auto* const words = reinterpret_cast<std::uint64_t*>(begin);
  std::uint64_t x = seed * 2 + 1;
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    const std::size_t kind = i / (page / 8) % 4;
    x = x * 6364136223846793005u + 1442695040888963407u;
    words[i] = kind == 3 ? 0 : kind == 2 ? seed : x ^ x >> 29;
  }
}

/// out: "" or the first address that differs from what fill() left
inline std::string difference(std::uintptr_t begin, std::size_t bytes, std::uint64_t seed) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(begin);
  std::uint64_t x = seed * 2 + 1;
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    const std::size_t kind = i / (page / 8) % 4;
    x = x * 6364136223846793005u + 1442695040888963407u;
    if (words[i] == (kind == 3 ? 0 : kind == 2 ? seed : x ^ x >> 29)) continue;
    char text[80];
    std::snprintf(text, sizeof text, "memory differs at 0x%lx; ", static_cast<unsigned long>(begin + i * 8));
    return text;
  }
  return {};
}

inline void map(std::uintptr_t begin, std::size_t bytes, int protection = PROT_READ | PROT_WRITE,
                int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, int fd = -1, off_t offset = 0) {
  void* const wanted = reinterpret_cast<void*>(begin);
  if (mmap(wanted, bytes, protection, flags | MAP_FIXED_NOREPLACE, fd, offset) == wanted) return;
  std::perror("mmap in a test");
  std::abort();
}

inline void protect(std::uintptr_t begin, std::size_t bytes, int protection) {
  if (mprotect(reinterpret_cast<void*>(begin), bytes, protection) != 0) std::abort();
}

/// A small program's worth: for tests that restore often.
inline void make_small() {
  map(heap, small);
  fill(heap, small, 1);
}
inline std::string difference_small() { return difference(heap, small, 1); }

}  // namespace window_memory
