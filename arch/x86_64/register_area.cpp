#include <runtime/split/window/register_area.hpp>

#include <cpuid.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace mana::split {

namespace {

constexpr char magic[6] = {'X', 'S', 'A', 'V', 'E', '1'};
constexpr std::uint64_t legacy_states = 3;             // x87 and SSE: in the first 512 bytes of every area
constexpr std::uint64_t protection_keys = 1u << 9;     // if a process has none, the kernel gives it the first value
constexpr std::size_t legacy_bytes = 512, header_bytes = 64, first_part = legacy_bytes + header_bytes;
constexpr std::size_t kernels_words = legacy_bytes - sizeof(_fpx_sw_bytes);
constexpr int most_states = 63;                        // bit 63 is not a state

template <class F>
void for_each_part(std::uint64_t states, F&& f) {
  for (int state = 2; state < most_states; ++state)
    if ((states >> state & 1) != 0) f(state);
}

template <class T>
T load(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(unsigned char* to, const T& value) { std::memcpy(to, &value, sizeof value); }

bool same(const register_layout& a, const register_layout& b, std::uint64_t states) {
  bool is = true;
  for_each_part(states, [&](int state) {
    is = is && a.parts[state].offset == b.parts[state].offset && a.parts[state].bytes == b.parts[state].bytes;
  });
  return is;
}

}  // namespace

register_layout layout_here() noexcept {
  register_layout found;
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned osxsave = 1u << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & osxsave) == 0) return found;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  found.states = static_cast<std::uint64_t>(high) << 32 | low;
  for_each_part(found.states, [&](int state) {
    if (__get_cpuid_count(13, static_cast<unsigned>(state), &a, &b, &c, &d) != 0) found.parts[state] = {b, a};
  });
  return found;
}

std::vector<std::uint8_t> encode(const register_layout& layout) {
  std::vector<std::uint8_t> out(std::begin(magic), std::end(magic));
  const auto add = [&out](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  add(layout.states, 8);
  for_each_part(layout.states, [&](int state) {
    add(layout.parts[state].offset, 4);
    add(layout.parts[state].bytes, 4);
  });
  return out;
}

register_layout decode_register_layout(std::span<const std::uint8_t> bytes) {
  const auto take = [&bytes](std::size_t n) {
    if (bytes.size() < n) throw std::runtime_error("the image's section \"registers\" ends early");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < n; ++i) value |= static_cast<std::uint64_t>(bytes[i]) << 8 * i;
    bytes = bytes.subspan(n);
    return value;
  };
  if (bytes.size() < sizeof magic || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    throw std::runtime_error("the image's section \"registers\" has a form that this version does not know");
  bytes = bytes.subspan(sizeof magic);
  register_layout layout;
  layout.states = take(8);
  for_each_part(layout.states, [&](int state) {
    layout.parts[state].offset = static_cast<std::uint32_t>(take(4));
    layout.parts[state].bytes = static_cast<std::uint32_t>(take(4));
  });
  return layout;
}

fitting fit_registers(void* area, const register_layout& then, const register_layout& now) {
  if (area == nullptr) return fitting::done;
  auto* const bytes = static_cast<unsigned char*>(area);
  auto words = load<_fpx_sw_bytes>(bytes + kernels_words);
  if (words.magic1 != FP_XSTATE_MAGIC1) return fitting::done;      // x87 and SSE alone: FXSAVE's format everywhere
  auto used = load<std::uint64_t>(bytes + legacy_bytes) & words.xstate_bv;
  if ((now.states & protection_keys) == 0) used &= ~protection_keys;
  if ((used & ~now.states & ~legacy_states) != 0) return fitting::lost;
  if ((words.xstate_bv & ~now.states) == 0 && same(then, now, words.xstate_bv)) return fitting::done;

  std::size_t end = first_part, end_then = first_part;
  for_each_part(used, [&](int state) {
    end = std::max<std::size_t>(end, std::size_t{now.parts[state].offset} + now.parts[state].bytes);
    end_then = std::max<std::size_t>(end_then, std::size_t{then.parts[state].offset} + then.parts[state].bytes);
  });
  if (end + FP_XSTATE_MAGIC2_SIZE > words.extended_size || end_then > words.xstate_size) return fitting::no_room;
  std::vector<unsigned char> fresh(end, 0);
  for_each_part(used, [&](int state) {
    const auto& from = then.parts[state];
    const auto& to = now.parts[state];
    std::memcpy(fresh.data() + to.offset, bytes + from.offset, std::min(from.bytes, to.bytes));
  });
  std::memcpy(bytes + first_part, fresh.data() + first_part, end - first_part);
  store(bytes + legacy_bytes, used);
  words.xstate_bv &= now.states;
  words.xstate_size = static_cast<std::uint32_t>(end);
  store(bytes + kernels_words, words);
  store(bytes + end, std::uint32_t{FP_XSTATE_MAGIC2});
  return fitting::done;
}

}  // namespace mana::split
