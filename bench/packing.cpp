// How fast the codecs' libraries pack memory of the kind "half" of images.c, in several processes at the same time:
//   packing HOW PROCESSES [MIB]
// HOW as for --compress, lz4 or zstd; MIB of memory each (256). Prints bytes per second of all together, in pieces as an
// image has them and in one piece; medians of three.
#include <runtime/image/format/packing.hpp>

#include <lz4.h>
#include <zstd.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 3;
constexpr int lz4_default = 4, zstd_default = 3;      // that --compress takes

using clock_type = std::chrono::steady_clock;

std::vector<char> half(std::size_t bytes, unsigned seed) {
  std::vector<char> memory(bytes);
  auto* const words = reinterpret_cast<std::uint64_t*>(memory.data());
  std::uint64_t state = 88172645463325252u + seed;
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    words[i] = i % 2 == 0 ? i : state;
  }
  return memory;
}

/// Packs all of it in such pieces, each to the same place.
void pack(const mana::image::packing& how, const std::vector<char>& memory, std::size_t piece, std::vector<char>& into) {
  const bool zstd = how.mode == mana::image::packing_mode::zstd;
  const int level = how.level != 0 ? how.level : zstd ? zstd_default : lz4_default;
  static ZSTD_CCtx* const context = ZSTD_createCCtx();
  for (std::size_t at = 0; at < memory.size(); at += piece) {
    const std::size_t n = std::min(piece, memory.size() - at);
    if (zstd) ZSTD_compressCCtx(context, into.data(), into.size(), memory.data() + at, n, level);
    else LZ4_compress_fast(memory.data() + at, into.data(), static_cast<int>(n), static_cast<int>(into.size()), level);
  }
}

/// Processes that begin each round together.     out: bytes per second of all, by the one that takes longest
double rate(const mana::image::packing& how, unsigned processes, std::size_t bytes, std::size_t piece) {
  void* const shared = mmap(nullptr, sizeof(double) * processes * rounds, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                            -1, 0);
  if (shared == MAP_FAILED) std::abort();
  auto* const seconds = static_cast<double*>(shared);
  std::vector<std::vector<char>> memories;
  for (unsigned p = 0; p < processes; ++p) memories.push_back(half(bytes, p));
  std::vector<char> into(ZSTD_compressBound(piece));
  for (int round = 0; round < rounds; ++round) {
    for (unsigned p = 0; p < processes; ++p)
      if (fork() == 0) {
        std::fill(into.begin(), into.end(), '\1');      // its pages are this process's own
        const auto begin = clock_type::now();
        pack(how, memories[p], piece, into);
        seconds[static_cast<unsigned>(round) * processes + p] = std::chrono::duration<double>(clock_type::now() - begin).count();
        _exit(0);
      }
    while (wait(nullptr) > 0) {}
  }
  double longest[rounds];
  for (unsigned round = 0; round < rounds; ++round)
    longest[round] = *std::max_element(seconds + round * processes, seconds + (round + 1) * processes);
  std::sort(longest, longest + rounds);
  return static_cast<double>(bytes) * processes / longest[rounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: packing HOW PROCESSES [MIB]\n", stderr), 2;
  const mana::image::packing how = mana::image::parse_packing(argv[1]);
  const auto processes = static_cast<unsigned>(std::atoi(argv[2]));
  const std::size_t bytes = static_cast<std::size_t>(argc > 3 ? std::atoi(argv[3]) : 256) << 20;
  std::printf("pieces %.0f\n", rate(how, processes, bytes, mana::image::chunk_bytes));
  std::printf("one %.0f\n", rate(how, processes, bytes, bytes));
}
