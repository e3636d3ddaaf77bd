#include <runtime/split/window/shown_process.hpp>

#include <runtime/split/window/kernel_mappings.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

namespace mana::split {
namespace {

/// The kernel's own mapping before the stub gets it; of no bytes: there is none.
constinit address_range vdso_aside{0, 0};
constinit bool is_shown = false;

/// The range from `begin` to the end of the adjacent mappings.
address_range mapped_from(std::uintptr_t begin, bool only_one) noexcept {
  address_range found{begin, begin};
  each_mapping([&](const kernel_mapping& m) {
    if (m.range.begin == found.end && (found.bytes() == 0 || !only_one)) found.end = m.range.end;
  });
  return found;
}

bool has_one_thread() {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  const auto n = std::distance(begin(threads), end(threads));
  return !error && n == 1;
}

long move_to(const address_range& from, std::uintptr_t to) noexcept {
  const auto bytes = static_cast<long>(from.bytes());
  return raw_call(SYS_mremap, static_cast<long>(from.begin), bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                  static_cast<long>(to));
}

long map_free(std::size_t bytes, int protection) noexcept {
  return raw_call(SYS_mmap, 0, static_cast<long>(bytes), protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

long protect(const address_range& r, int protection) noexcept {
  return raw_call(SYS_mprotect, static_cast<long>(r.begin), static_cast<long>(r.bytes()), protection);
}

void unmap(long begin, std::size_t bytes) noexcept {
  if (!is_error(begin)) raw_call(SYS_munmap, begin, static_cast<long>(bytes));
}

/// Fields of /proc/self/stat by number, from the third on: the second is a name, which may contain any characters.
/// Reads them by raw system calls, since traps and children use it too.
struct process_fields {
  static constexpr std::size_t count = 52;
  std::uint64_t field[count] = {};
  bool is_known = false;

  process_fields() noexcept {
    char text[2048];
    const long fd = raw_call(SYS_open, as_word("/proc/self/stat"), O_RDONLY | O_CLOEXEC);
    if (is_error(fd)) return;
    const long n = raw_call(SYS_read, fd, as_word(text), sizeof text - 1);
    raw_call(SYS_close, fd);
    text[std::max(n, 0L)] = '\0';
    const char* at = std::strrchr(text, ')');
    std::size_t number = 3;
    for (; at != nullptr && number < count; ++number) {
      at = std::strchr(at, ' ');
      if (at == nullptr) return;
      for (++at; *at >= '0' && *at <= '9'; ++at) field[number] = field[number] * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    is_known = number == count;
  }
};

}  // namespace

void set_lower_break(prctl_mm_map& all) noexcept {
  if (const process_fields now; now.is_known) all.start_brk = now.field[47];
  all.brk = static_cast<__u64>(raw_call(SYS_brk, 0));
}

namespace {

/// errors: -errno; the kernel's view is unchanged
long tell_kernel(const program_places& p) {
  prctl_mm_map all{};
  all.start_code = p.code_begin;
  all.end_code = p.code_end;
  all.start_data = p.data_begin;
  all.end_data = p.data_end;
  all.start_stack = p.stack_begin;
  all.arg_start = p.arguments_begin;
  all.arg_end = p.arguments_end;
  all.env_start = p.environment_begin;
  all.env_end = p.environment_end;
  all.exe_fd = ~__u32{0};
  set_lower_break(all);
  return raw_call(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, as_word(&all), sizeof all, 0);
}

}  // namespace

void set_vdso_aside() noexcept {
  const std::uintptr_t live = ::getauxval(AT_SYSINFO_EHDR);
  if (live == 0 || !has_one_thread()) return;
  const address_range all = mapped_from(live, true);
  if (all.bytes() == 0) return;
  const long copy = map_free(all.bytes(), PROT_READ | PROT_WRITE), aside = map_free(all.bytes(), PROT_NONE);
  if (!is_error(copy)) std::memcpy(reinterpret_cast<void*>(copy), reinterpret_cast<void*>(live), all.bytes());
  const auto copied = static_cast<std::uintptr_t>(copy);
  const bool can = !is_error(copy) && !is_error(aside) &&
                   !is_error(protect({copied, copied + all.bytes()}, PROT_READ | PROT_EXEC)) &&
                   !is_error(move_to(all, static_cast<std::uintptr_t>(aside)));
  if (!can) {
    unmap(copy, all.bytes());
    unmap(aside, all.bytes());
    return;
  }
  vdso_aside = {static_cast<std::uintptr_t>(aside), static_cast<std::uintptr_t>(aside) + all.bytes()};
  if (!is_error(move_to({copied, copied + all.bytes()}, all.begin))) return;
  move_to(vdso_aside, all.begin);      // its old address: nothing else has taken the place
  vdso_aside = {0, 0};
}

/// Pages of a special mapping can become the process's own, as when a debugger sets breakpoints there.
void show_stub_as_vdso() noexcept {
  if (vdso_aside.bytes() == 0) return;
  const address_range stub = mapped_from(lower::stub_address, false);
  if (is_error(protect(vdso_aside, PROT_READ | PROT_WRITE))) return;
  char* const to = reinterpret_cast<char*>(vdso_aside.begin);
  const std::size_t n = std::min(stub.bytes(), vdso_aside.bytes());
  std::memcpy(to, reinterpret_cast<const void*>(stub.begin), n);
  std::memset(to + n, 0, vdso_aside.bytes() - n);
  if (is_error(protect(vdso_aside, PROT_READ | PROT_EXEC))) return;
  if (!is_error(move_to(vdso_aside, lower::stub_address))) vdso_aside = {0, 0};
}

void show_program(const program_places& places, std::span<const std::uint64_t> auxiliary) noexcept {
  shown_program& s = saved().shown;
  if (auxiliary.size() > std::size(s.auxiliary)) return;
  s.places = places;
  s.auxiliary_words = auxiliary.size();
  std::copy(auxiliary.begin(), auxiliary.end(), s.auxiliary);
  show_program_again();
}

void show_program_again() noexcept {
  const shown_program& s = saved().shown;
  if (s.auxiliary_words == 0 || s.auxiliary_words > std::size(s.auxiliary)) return;      // of an earlier version
  is_shown = !is_error(tell_kernel(s.places));
}

void note_shown() noexcept {
  const process_fields now;
  if (!is_shown || !now.is_known) return;
  const std::uint64_t* const f = now.field;
  saved().shown.places = {f[26], f[27], f[45], f[46], f[28], f[48], f[49], f[50], f[51]};
}

bool kernel_shows_program() noexcept { return is_shown; }

}  // namespace mana::split
