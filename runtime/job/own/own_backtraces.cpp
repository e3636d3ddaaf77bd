// Replaces the libc functions with which the lower half's libraries print a backtrace after a crash; the linker finds
// these first. The lower half's dynamic linker and libc do not know the upper half's objects, so their backtrace would
// end where the program begins. For addresses in the upper half these functions ask the program's dynamic linker. They
// leave out the frames by which mana calls a handler (INV-68). All functions here may run in signal handlers, on
// threads of both halves.
#include <runtime/job/program_functions.hpp>

#include <runtime/split/traps/signals/lower_handlers.hpp>
#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace mana;

constexpr std::size_t line_bytes = 1024;

template <class Function>
Function* libcs(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// libc's own functions. They are looked up before a crash, because dlsym takes a lock.
struct originals {
  int (*find_object)(void*, dl_find_object*) = libcs<int(void*, dl_find_object*)>("_dl_find_object");
  int (*find_symbol)(const void*, Dl_info*) = libcs<int(const void*, Dl_info*)>("dladdr");
  int (*trace)(void**, int) = libcs<int(void**, int)>("backtrace");
  void (*write_symbols)(void* const*, int, int) = libcs<void(void* const*, int, int)>("backtrace_symbols_fd");
};
const originals& libc() noexcept {
  static const originals found;
  return found;
}
[[gnu::used]] const originals& at_first = libc();

/// True for an address in a program that is not position-independent.
bool is_fixed(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= split::saved().fixed_begin && at < split::saved().fixed_end;
}

bool is_upper(const void* address) noexcept {
  if (split::stub().lower_handler == 0) return false;  // the upper half does not exist yet
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return (at >= lower::window_begin && at < lower::window_end) || is_fixed(address);
}

bool is_in_stub(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= lower::stub_address && at < lower::program_zone && at != split::stub().restore_rt;
}

/// Asks the program's dynamic linker, under the program's thread pointer, because dladdr takes a lock.
bool find_upper_symbol(const void* address, Dl_info& found) noexcept {
  int is_found = 0;
  job::with_program([&](const lower::upper_functions& program) { is_found = program.find_symbol(address, &found); });
  return is_found != 0;
}

/// Writes the address in libc's format of a backtrace line.
/// in:  gap  text before the address
/// out: bytes, without the null
std::size_t describe(const void* address, const char* gap, char* line) noexcept {
  Dl_info found{};
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  int n = 0;
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr || *found.dli_fname == '\0') {
    n = std::snprintf(line, line_bytes, "[%#lx]", at);
  } else if (found.dli_sname == nullptr && is_fixed(address)) {
    n = std::snprintf(line, line_bytes, "%s()%s[%#lx]", found.dli_fname, gap, at);
  } else {
    const auto from = reinterpret_cast<std::uintptr_t>(found.dli_sname != nullptr ? found.dli_saddr : found.dli_fbase);
    const char* const name = found.dli_sname != nullptr ? found.dli_sname : "";
    n = std::snprintf(line, line_bytes, "%s(%s+%#lx)%s[%#lx]", found.dli_fname, name, at - from, gap, at);
  }
  return std::min(static_cast<std::size_t>(n), line_bytes - 1);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int _dl_find_object(void* address, dl_find_object* result) noexcept {
  if (!is_upper(address)) return libc().find_object != nullptr ? libc().find_object(address, result) : -1;
  const lower::upper_functions* const program = job::program_functions();
  return program != nullptr ? program->find_object(address, result) : -1;
}

int dladdr(const void* address, Dl_info* found) noexcept {
  return is_upper(address) ? find_upper_symbol(address, *found) : libc().find_symbol(address, found);
}

int backtrace(void** frames, int size) {  // as in execinfo.h
  constexpr int own = 8;  // at most this many of mana's frames are left out
  std::array<void*, 256> found;
  const int wanted = std::min(size, static_cast<int>(found.size()) - own);
  const int n = libc().trace(found.data(), std::max(wanted, 0) + own);
  int kept = 0;
  for (int i = 1; i < n && kept < wanted; ++i) {  // 0: this function
    void* const frame = found[static_cast<std::size_t>(i)];
    if (!is_in_stub(frame) && !split::calls_lower_handlers(reinterpret_cast<std::uintptr_t>(frame)))
      frames[kept++] = frame;
  }
  return kept;
}

void backtrace_symbols_fd(void* const* frames, int size, int fd) noexcept {
  for (int i = 0; i < size; ++i) {
    if (!is_upper(frames[i])) {
      libc().write_symbols(frames + i, 1, fd);
      continue;
    }
    char line[line_bytes];
    const std::size_t n = describe(frames[i], "", line);
    line[n] = '\n';  // replaces the null
    [[maybe_unused]] const auto written = ::write(fd, line, n + 1);
  }
}

/// out: one block, which the caller frees: the pointers to the lines, then the lines
char** backtrace_symbols(void* const* frames, int size) noexcept {
  const auto n = static_cast<std::size_t>(size);
  auto* const all = static_cast<char**>(std::malloc(n * (sizeof(char*) + line_bytes)));
  for (std::size_t i = 0; all != nullptr && i < n; ++i) {
    all[i] = reinterpret_cast<char*>(all + n) + i * line_bytes;
    describe(frames[i], " ", all[i]);
  }
  return all;
}
}
#pragma GCC visibility pop
