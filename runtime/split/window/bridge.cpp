#include <runtime/split/window/bridge.hpp>

#include <runtime/split/window/elf_symbols.hpp>
#include <runtime/split/window/layout.h>
#include <runtime/split/window/reservations.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/shown_process.hpp>
#include <runtime/split/window/upper_half.hpp>

#include <mana/lower/signals.hpp>

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
extern const char mana_stub_begin[];
extern const char mana_stub_end[];
}

namespace mana::split {
namespace {

stub_symbols the_stub;

void map_at(std::uintptr_t address, std::size_t bytes, const char* what) {
  void* const got = ::mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != MAP_FAILED) return note_reservation({address, address + bytes}, true);
  char text[160];
  std::snprintf(text, sizeof text, "cannot map the %s at %#zx (%s): is the address space limited (ulimit -v)?", what,
                static_cast<std::size_t>(address), std::strerror(errno));
  throw load_error(63, text);
}

void map_stub() {
  const auto size = static_cast<std::size_t>(mana_stub_end - mana_stub_begin);
  void* const place = reinterpret_cast<void*>(lower::stub_address);
  map_at(lower::stub_address, page_ceil(size), "signal trampolines");
  std::memcpy(place, mana_stub_begin, size);
  ::mprotect(place, page_ceil(size), PROT_READ | PROT_EXEC);
  show_stub_as_vdso();
}

/// The kernel says whether programs may write the thread pointer. MANA_FSGSBASE=0 tests the other way.
bool may_write_thread_pointer() noexcept {
  constexpr unsigned long hwcap2_fsgsbase = 2;
  const char* const forced = std::getenv("MANA_FSGSBASE");
  return (::getauxval(AT_HWCAP2) & hwcap2_fsgsbase) != 0 && (forced == nullptr || std::strcmp(forced, "0") != 0);
}

void fill_vdso_table() noexcept {
  const char* const names[5][2] = {{"__vdso_clock_gettime", "mana_fallback_0"},
                                   {"__vdso_gettimeofday", "mana_fallback_1"},
                                   {"__vdso_time", "mana_fallback_2"},
                                   {"__vdso_getcpu", "mana_fallback_3"},
                                   {"__vdso_clock_getres", "mana_fallback_4"}};
  lower::bridge& b = lower::the_bridge();
  const std::uintptr_t live = ::getauxval(AT_SYSINFO_EHDR);
  for (unsigned i = 0; i < 5; ++i) {
    const std::uintptr_t found = live == 0 ? 0 : find_symbol(live, names[i][0]);
    b.vdso[i] = found != 0 ? found : find_symbol(lower::stub_address, names[i][1]);
  }
  const address_range range = live == 0 ? address_range{0, 0} : image_range(live);
  b.vdso[STUB_VDSO_BEGIN_SLOT] = range.begin;
  b.vdso[STUB_VDSO_END_SLOT] = range.end;
  b.clock_gettime = nullptr;
  for (std::int64_t& offset : b.clock_offsets) offset = 0;
  b.ticks_offset = 0;
  b.process_ahead = {};
}

}  // namespace

void refresh_bridge() noexcept {
  lower::the_bridge().has_fsgsbase = may_write_thread_pointer() ? 1 : 0;
  fill_vdso_table();
  const auto symbol = [](const char* name) { return find_symbol(lower::stub_address, name); };
  the_stub = {symbol("mana_signal_trampoline"),
              symbol("mana_park_trampoline"),
              symbol("mana_request_trampoline"),
              symbol("__restore_rt"),
              symbol("mana_call"),
              symbol("mana_reported_call"),
              symbol("mana_timed_call"),
              symbol("mana_program_clock_gettime"),
              symbol("mana_trap_trampoline"),
              symbol("mana_lower_handler")};
}

const stub_symbols& stub() noexcept { return the_stub; }

void prepare_bridge() {
  map_at(lower::bridge_address, lower::threads_address - lower::bridge_address, "bridge");
  map_at(lower::threads_address, lower::max_threads * sizeof(lower::thread_block), "thread blocks");
  map_stub();
  lower::bridge& b = lower::the_bridge();
  b.magic = lower::bridge_magic;
  b.major = lower::layout_major;
  b.head = lower::head_of<lower::bridge>();
  refresh_bridge();
  saved_state& state = saved();
  state.bytes = sizeof(saved_state);
  state.brk_end = state.brk_mapped = lower::brk_zone;
}

}  // namespace mana::split
