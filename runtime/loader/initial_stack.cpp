#include "initial_stack.hpp"

#include "saved_state.hpp"
#include "upper_half.hpp"
#include "window_map.hpp"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mana::split {
namespace {

constexpr std::size_t guard_bytes = 1u << 20;

/// RLIMIT_STACK, at least 64 MiB (it costs nothing untouched) and at most 1 GiB.
std::size_t stack_bytes() {
  constexpr std::size_t least = std::size_t{64} << 20, most = std::size_t{1} << 30;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0) return least;
  return page_ceil(std::clamp<std::size_t>(limit.rlim_cur, least, most));
}

/// Builds the stack from its top down.
class stack_writer {
 public:
  explicit stack_writer(std::uintptr_t top) noexcept : at_(top) {}
  std::uint64_t push(const void* bytes, std::size_t n) noexcept {
    at_ -= n;
    std::memcpy(reinterpret_cast<void*>(at_), bytes, n);
    return at_;
  }
  std::uint64_t push(const std::string& text) noexcept { return push(text.c_str(), text.size() + 1); }
  /// Writes the words so that the first one lies at a multiple of 16, as the psABI wants the stack pointer.
  std::uintptr_t finish(const std::vector<std::uint64_t>& words) noexcept {
    at_ = (at_ - words.size() * sizeof(std::uint64_t)) & ~std::uintptr_t{15};
    std::memcpy(reinterpret_cast<void*>(at_), words.data(), words.size() * sizeof(std::uint64_t));
    return at_;
  }
  void align() noexcept { at_ &= ~std::uintptr_t{15}; }

 private:
  std::uintptr_t at_;
};

/// What the kernel told this process holds for the program too, except where things lie. Left out: rseq, which the
/// lower half has.
void add_inherited(std::vector<std::uint64_t>& words) {
  constexpr unsigned long types[] = {AT_UID, AT_EUID, AT_GID, AT_EGID, AT_HWCAP, AT_HWCAP2, AT_CLKTCK, AT_MINSIGSTKSZ};
  for (const unsigned long type : types) {
    errno = 0;
    const unsigned long value = ::getauxval(type);
    if (value == 0 && errno == ENOENT) continue;
    words.push_back(type);
    words.push_back(value);
  }
}

}  // namespace

std::uintptr_t make_initial_stack(const stack_contents& c) {
  const std::size_t bytes = stack_bytes();
  const int prot = PROT_READ | PROT_WRITE | (c.executable ? PROT_EXEC : 0);
  void* const stack = ::mmap(reinterpret_cast<void*>(lower::stack_zone + guard_bytes), bytes, prot,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE, -1, 0);
  if (stack == MAP_FAILED) throw load_error(63, std::string("cannot map the program's stack: ") + std::strerror(errno));
  stack_writer writer(reinterpret_cast<std::uintptr_t>(stack) + bytes);
  writer.push("\0\0\0\0\0\0\0", 8);
  const std::uint64_t execfn = writer.push(c.program);
  std::vector<std::uint64_t> argv, envp;
  const auto push_all = [&](const std::vector<std::string>& texts) {   // the first lowest, as the kernel does
    std::vector<std::uint64_t> places(texts.size());
    for (std::size_t i = texts.size(); i-- > 0;) places[i] = writer.push(texts[i]);
    return places;
  };
  envp = push_all(c.env);
  saved().arguments_end = envp.empty() ? execfn : envp.front();
  argv = push_all(c.args);
  saved().arguments_begin = argv.empty() ? saved().arguments_end : argv.front();
  const std::uint64_t platform = writer.push(std::string("x86_64"));
  char random[16];
  if (::getrandom(random, sizeof random, 0) != sizeof random)
    std::memcpy(random, reinterpret_cast<void*>(::getauxval(AT_RANDOM)), sizeof random);
  writer.align();
  const std::uint64_t random_at = writer.push(random, sizeof random);

  std::vector<std::uint64_t> words{argv.size()};
  words.insert(words.end(), argv.begin(), argv.end());
  words.push_back(0);
  words.insert(words.end(), envp.begin(), envp.end());
  words.push_back(0);
  words.insert(words.end(), {AT_SYSINFO_EHDR, lower::stub_address, AT_PHDR, c.program_headers, AT_PHENT,
                             sizeof(Elf64_Phdr), AT_PHNUM, c.program_header_count, AT_PAGESZ, page_bytes, AT_BASE,
                             c.interpreter_base, AT_FLAGS, 0, AT_ENTRY, c.entry, AT_SECURE, 0, AT_RANDOM, random_at,
                             AT_PLATFORM, platform, AT_EXECFN, execfn});
  add_inherited(words);
  words.insert(words.end(), {AT_NULL, 0});
  return writer.finish(words);
}

}  // namespace mana::split
