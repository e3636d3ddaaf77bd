// The number of processors that the calling thread may use. The kernel's mask has as many bits as its machine may have
// processors, which may be more than a cpu_set_t has. The kernel refuses a shorter mask.
#pragma once
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace mana {

using processor_mask = std::vector<unsigned long>;

/// The kernel's sched_getaffinity. out: bytes that it wrote; -1, errno set
inline long ask_affinity(std::size_t bytes, unsigned long* mask) noexcept {
  return syscall(SYS_sched_getaffinity, 0, bytes, mask);
}

/// in: ask  as ask_affinity      out: the mask; of one processor if the kernel refuses
template <class Ask = long (*)(std::size_t, unsigned long*)>
processor_mask allowed_processors(Ask&& ask = ask_affinity) {
  constexpr std::size_t first = 16, most = std::size_t{1} << 16;      // words: 1,024 and four million processors
  for (std::size_t words = first; words <= most; words *= 2) {
    processor_mask mask(words, 0);
    if (ask(words * sizeof mask[0], mask.data()) > 0) return mask;
    if (errno != EINVAL) break;
  }
  return {1};
}

/// out: at least 1
inline int processors_in(const processor_mask& mask) noexcept {
  int n = 0;
  for (const unsigned long word : mask) n += std::popcount(word);
  return n > 0 ? n : 1;
}
inline int processor_count() { return processors_in(allowed_processors()); }

}  // namespace mana
