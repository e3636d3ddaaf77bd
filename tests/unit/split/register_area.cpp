// Registers in a signal frame that another processor wrote: the kernel itself loads what was made of it.
#include <runtime/split/window/register_area.hpp>

#include <doctest/doctest.h>

#include <immintrin.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace split_register_area_tests {

using namespace mana::split;

namespace {

constexpr std::uint64_t avx = 1 << 2;

register_layout frame_layout;      // as the frame is said to be written
fitting outcome;
bool moved_away;

_fpx_sw_bytes& words_of(unsigned char* area) { return *reinterpret_cast<_fpx_sw_bytes*>(area + 464); }

/// Rewrites the frame as a processor would have that keeps AVX's state 64 bytes further on, then fits it to this one.
void rewrite(int, siginfo_t*, void* context) {
  auto* const area = reinterpret_cast<unsigned char*>(static_cast<ucontext_t*>(context)->uc_mcontext.fpregs);
  const register_layout here = layout_here();
  if (moved_away) {
    const auto from = here.parts[2], to = frame_layout.parts[2];
    unsigned char saved[256];
    std::memcpy(saved, area + from.offset, from.bytes);
    std::memset(area + from.offset, 0x5a, to.offset + to.bytes - from.offset);
    std::memcpy(area + to.offset, saved, to.bytes);
    words_of(area).xstate_bv = frame_layout.states;
    std::uint64_t used;
    std::memcpy(&used, area + 512, sizeof used);
    used &= frame_layout.states;
    std::memcpy(area + 512, &used, sizeof used);
  }
  outcome = fit_registers(area, frame_layout, here);
}

/// Raises a signal with a known value in ymm7, whose frame is rewritten; out: the value after it
__attribute__((target("avx"), noinline)) void across_signal(const unsigned char (&in)[32], unsigned char (&out)[32]) {
  __asm__ volatile("vmovdqu %1, %%ymm7\n\t"
                   "mov %2, %%edi\n\t"
                   "mov %3, %%esi\n\t"
                   "mov $200, %%eax\n\t"      // tkill
                   "syscall\n\t"
                   "vmovdqu %%ymm7, %0"
                   : "=m"(out)
                   : "m"(in), "r"(static_cast<int>(gettid())), "i"(SIGUSR1)
                   : "rax", "rcx", "rdx", "rdi", "rsi", "r11", "xmm7", "memory");
}

bool survives() {
  struct sigaction action{}, before{};
  action.sa_sigaction = rewrite;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, &before);
  unsigned char in[32], out[32] = {};
  for (unsigned char i = 0; i < 32; ++i) in[i] = static_cast<unsigned char>(i + 1);
  across_signal(in, out);
  sigaction(SIGUSR1, &before, nullptr);
  return std::memcmp(in, out, sizeof in) == 0;
}

/// A frame of x87, SSE and AVX, as a processor of this layout leaves it.
std::vector<unsigned char> frame(const register_layout& layout, std::uint64_t used) {
  std::size_t end = 576;
  for (int state = 2; state < 63; ++state)
    if ((layout.states >> state & 1) != 0) end = std::max<std::size_t>(end, layout.parts[state].offset + layout.parts[state].bytes);
  std::vector<unsigned char> area(end + 4, 0);
  words_of(area.data()) = {FP_XSTATE_MAGIC1, static_cast<std::uint32_t>(end + 4), layout.states, static_cast<std::uint32_t>(end), {}};
  std::memcpy(area.data() + 512, &used, sizeof used);
  for (std::uint32_t i = 0; i < layout.parts[2].bytes; ++i) area[layout.parts[2].offset + i] = static_cast<unsigned char>(i);
  return area;
}

register_layout of(std::uint64_t states, std::uint32_t avx_at, std::uint32_t further_at) {
  register_layout layout;
  layout.states = states;
  layout.parts[2] = {avx_at, 256};
  layout.parts[5] = {further_at, 64};
  layout.parts[9] = {further_at + 64, 8};
  return layout;
}

}  // namespace

TEST_CASE("a frame of another layout gives the registers back, a frame of this one is left alone") {
  const register_layout here = layout_here();
  if ((here.states & avx) == 0) return;
  frame_layout = here;
  moved_away = false;
  CHECK(survives());
  CHECK(outcome == fitting::done);
  if ((here.states >> 5) == 0) return;       // no room beyond AVX's state
  moved_away = true;
  frame_layout.states = 7;
  frame_layout.parts[2].offset += 64;
  CHECK(survives());
  CHECK(outcome == fitting::done);
}

TEST_CASE("what is unused may be missing, what is used may not") {
  const register_layout then = of(0x227, 576, 832), now = of(7, 576, 0);
  auto area = frame(then, 7);
  CHECK(fit_registers(area.data(), then, now) == fitting::done);
  CHECK(words_of(area.data()).xstate_bv == 7);
  CHECK(words_of(area.data()).xstate_size == 832);
  CHECK(area[576 + 17] == 17);
  std::uint32_t end = 0;
  std::memcpy(&end, area.data() + 832, sizeof end);
  CHECK(end == FP_XSTATE_MAGIC2);
  area = frame(then, 7 | 1 << 5);
  const auto before = area;
  CHECK(fit_registers(area.data(), then, now) == fitting::lost);
  CHECK(area == before);
  area = frame(then, 7 | 1 << 9);            // the protection keys' register alone is not missed
  CHECK(fit_registers(area.data(), then, now) == fitting::done);
}

TEST_CASE("parts move, also over each other, and not beyond the frame") {
  const register_layout then = of(0x27, 576, 1088), closer = of(0x27, 640, 576), far = of(7, 4096, 0);
  auto area = frame(then, 0x27);
  area[1088 + 5] = 77;
  CHECK(fit_registers(area.data(), then, closer) == fitting::done);
  CHECK(area[576 + 5] == 77);
  for (std::uint32_t i = 0; i < 256; ++i) CHECK(area[640 + i] == i);
  CHECK(words_of(area.data()).xstate_size == 896);
  area = frame(of(7, 576, 0), 7);
  CHECK(fit_registers(area.data(), of(7, 576, 0), far) == fitting::no_room);
  CHECK(fit_registers(nullptr, then, closer) == fitting::done);
}

TEST_CASE("a layout comes back as it was, or not at all") {
  const register_layout there = of(0x227, 576, 832);
  const auto bytes = encode(there);
  const register_layout back = decode_register_layout(bytes);
  CHECK(back.states == there.states);
  CHECK(back.parts[9].offset == 896);
  CHECK(back.parts[2].bytes == 256);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_THROWS_AS(decode_register_layout(std::span(bytes).first(n)), std::runtime_error);
}

}  // namespace split_register_area_tests
