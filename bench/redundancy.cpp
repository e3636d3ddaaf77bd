// What protecting an image costs one core, without disks and messages: GiB of image per second.
//
//   redundancy [SECONDS each, default 1]
#include <runtime/redundancy/group_header.hpp>
#include <runtime/redundancy/pieces.hpp>
#include <runtime/redundancy/scheme.hpp>

#include <ctime>

#include <cstdio>
#include <cstdlib>
#include <random>

using namespace mana::redundancy;

namespace {

/// The pieces that encode() has: one of the own image, those received, and the sums.
struct member_work {
  explicit member_work(const scheme& of)
      : data(of.data), parity(of.parity), bytes(piece_bytes_for(parity, ~0ull)),
        code(erasure_code(data, parity).parity()) {
    memory.make(1 + 2 * parity, bytes);
    std::mt19937_64 random(1);
    for (unsigned i = 0; i < 1 + parity; ++i)
      for (std::byte& b : memory.piece(i, bytes)) b = static_cast<std::byte>(random());
  }

  /// What is done for one piece of each block of the image.
  void code_all() {
    for (unsigned block = 0; block < data; ++block)
      for (unsigned row = 0; row < parity; ++row)
        code.add(block, memory.piece(1 + row, bytes), row, memory.piece(1 + parity + row, bytes));
  }
  void check_all() {
    for (unsigned block = 0; block < data; ++block) sum.add(memory.piece(0, bytes));
    for (unsigned row = 0; row < parity; ++row) sum.add(memory.piece(1 + parity + row, bytes));
  }

  unsigned data, parity;
  std::size_t bytes;
  combination code;
  piece_memory memory;
  running_checksum sum;
};

/// Of this thread: other programs on the machine do not count.
double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// GiB of image per second
template <class Round>
double rate(const member_work& of, double seconds, Round&& round) {
  const double begin = processor_s();
  double passed = 0;
  std::uint64_t rounds = 0;
  do {
    round();
    ++rounds;
    passed = processor_s() - begin;
  } while (passed < seconds);
  return static_cast<double>(rounds * of.data * of.bytes) / passed / (1u << 30);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  std::printf("scheme  piece KiB  code  code and checksums   (GiB of image per second and core)\n");
  for (const char* text : {"1+1", "4+1", "8+1", "4+2", "8+2", "16+2", "16+4", "32+8"}) {
    member_work work(scheme::parse(text));
    const double code = rate(work, seconds, [&] { work.code_all(); });
    const double both = rate(work, seconds, [&] { work.code_all(); work.check_all(); });
    std::printf("%-6s  %9zu  %4.1f  %4.1f\n", text, work.bytes >> 10, code, both);
  }
}
