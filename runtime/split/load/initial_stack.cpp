#include <runtime/split/load/initial_stack.hpp>

#include <arch/elf.hpp>

#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/shown_process.hpp>
#include <runtime/split/window/upper_half.hpp>
#include <runtime/split/window/window_map.hpp>

#include <mana/lower/zones.hpp>

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mana::split {
namespace {

/// The room that the kernel leaves below its own data on a new program's stack.
constexpr std::size_t room_bytes = 128u << 10;

/// An upper bound for the contents.
std::size_t bytes_of(const stack_contents& c) {
  std::size_t bytes = 4096 + c.program.size() + c.preload.size();
  for (const auto* texts : {&c.args, &c.env})
    for (const std::string& text : *texts) bytes += text.size() + 1 + sizeof(std::uint64_t);
  return page_ceil(bytes);
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
  /// Writes the words with the first at a multiple of 16, as the psABI requires of the stack pointer.
  std::uintptr_t finish(const std::vector<std::uint64_t>& words) noexcept {
    at_ = (at_ - words.size() * sizeof(std::uint64_t)) & ~std::uintptr_t{15};
    std::memcpy(reinterpret_cast<void*>(at_), words.data(), words.size() * sizeof(std::uint64_t));
    return at_;
  }
  std::uintptr_t lowest() const noexcept { return at_; }
  void align() noexcept { at_ &= ~std::uintptr_t{15}; }

 private:
  std::uintptr_t at_;
};

/// Adds the kernel's facts about this process, except addresses. They hold for the program, too. rseq is left out,
/// since the lower half has it.
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

const std::string preload_name = "LD_PRELOAD=";

/// Changes the pointer alone: /proc/self/environ must show the program's original text.
void put_in_place(std::vector<std::uint64_t>& places, const std::vector<std::string>& env, std::uint64_t preload) {
  const auto theirs = std::find_if(env.begin(), env.end(), [](const std::string& e) { return e.starts_with(preload_name); });
  if (theirs == env.end()) places.push_back(preload);
  else places[static_cast<std::size_t>(theirs - env.begin())] = preload;
}

}  // namespace

std::uintptr_t make_initial_stack(const stack_contents& c) {
  const std::size_t bytes = bytes_of(c) + room_bytes;
  const int prot = PROT_READ | PROT_WRITE | (c.executable ? PROT_EXEC : 0);
  void* const stack = ::mmap(reinterpret_cast<void*>(lower::stack_top - bytes), bytes, prot,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED_NOREPLACE, -1, 0);
  if (stack == MAP_FAILED) throw load_error(63, std::string("cannot map the program's stack: ") + std::strerror(errno));
  stack_writer writer(reinterpret_cast<std::uintptr_t>(stack) + bytes);
  writer.push("\0\0\0\0\0\0\0", 8);
  const std::uint64_t execfn = writer.push(c.program);
  const std::uint64_t preload = c.preload.empty() ? 0 : writer.push(preload_name + c.preload);
  std::vector<std::uint64_t> argv, envp;
  const std::uint64_t environment_end = writer.lowest();
  const auto push_all = [&](const std::vector<std::string>& texts) {   // the first lowest, as the kernel does
    std::vector<std::uint64_t> places(texts.size());
    for (std::size_t i = texts.size(); i-- > 0;) places[i] = writer.push(texts[i]);
    return places;
  };
  envp = push_all(c.env);
  saved().arguments_end = envp.empty() ? environment_end : envp.front();
  if (preload != 0) put_in_place(envp, c.env, preload);
  argv = push_all(c.args);
  saved().arguments_begin = argv.empty() ? saved().arguments_end : argv.front();
  const std::uint64_t platform = writer.push(std::string(arch::platform));
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
  const std::size_t auxiliary = words.size();
  words.insert(words.end(), {AT_SYSINFO_EHDR, lower::stub_address, AT_PHDR, c.program_headers, AT_PHENT,
                             sizeof(Elf64_Phdr), AT_PHNUM, c.program_header_count, AT_PAGESZ, page_bytes, AT_BASE,
                             c.interpreter_base, AT_FLAGS, 0, AT_ENTRY, c.entry, AT_SECURE, 0, AT_RANDOM, random_at,
                             AT_PLATFORM, platform, AT_EXECFN, execfn});
  add_inherited(words);
  words.insert(words.end(), {AT_NULL, 0});
  const std::uintptr_t begin = writer.finish(words);
  program_places places = c.places;
  places.stack_begin = begin;
  places.arguments_begin = saved().arguments_begin;
  places.arguments_end = places.environment_begin = saved().arguments_end;
  places.environment_end = environment_end;
  show_program(places, std::span(words).subspan(auxiliary));
  return begin;
}

}  // namespace mana::split
