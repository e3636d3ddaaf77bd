#include <runtime/wrappers/preload.hpp>

#include <mana/lower/follow_words.hpp>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mana::wrappers {
namespace {

/// Text of a variable, after its "="; null: no such variable.
char* value_of(char** environment, std::string_view name) noexcept {
  const std::size_t n = name.size();
  for (char** entry = environment; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, name.data(), n) == 0 && (*entry)[n] == '=') return *entry + n + 1;
  return nullptr;
}

void remove(char** environment, const char* value) noexcept {
  char** to = environment;
  for (char** from = environment; *from != nullptr; ++from)
    if (!(value > *from && value <= *from + std::strlen(*from))) *to++ = *from;
  *to = nullptr;
}

/// The rest of a list after the entry `name`; null: the list does not have it.
const char* rest_after(const char* list, const char* name) noexcept {
  const std::size_t n = std::strlen(name);
  for (const char* at = list; at != nullptr; at = std::strchr(at, ':'), at += at != nullptr)
    if (std::strncmp(at, name, n) == 0 && (at[n] == ':' || at[n] == '\0')) return at[n] == ':' ? at + n + 1 : at + n;
  return nullptr;
}

std::vector<std::string> split(const char* text) {
  std::vector<std::string> words;
  for (const char* begin = text;;) {
    const char* const end = std::strchr(begin, lower::follow_separator);
    words.emplace_back(begin, end != nullptr ? static_cast<std::size_t>(end - begin) : std::strlen(begin));
    if (end == nullptr) return words;
    begin = end + 1;
  }
}

std::string own_program() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, static_cast<std::size_t>(n > 0 ? n : 0));
}

std::string blocked_signals() {
  std::uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, 0, nullptr, &mask, sizeof mask);
  char text[17];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(mask));
  return text;
}

bool is_part_of_mana(const std::string& program, const std::string& tool) {
  return program == tool || std::string_view(program).substr(program.rfind('/') + 1).starts_with("mana-lower-");
}

}  // namespace

void leave_environment(char** environment) noexcept {
  if (environment == nullptr) return;
  if (const char* const value = value_of(environment, lower::follow_variable)) remove(environment, value);
  Dl_info ours{};
  char* const list = value_of(environment, "LD_PRELOAD");
  if (list == nullptr || dladdr(reinterpret_cast<const void*>(&leave_environment), &ours) == 0) return;
  const char* const rest = rest_after(list, ours.dli_fname);
  if (rest == nullptr) return;
  if (*rest == '\0') remove(environment, list);
  else std::memmove(list, rest, std::strlen(rest) + 1);
}

void find_back(int count, char** arguments, char** environment) noexcept {
  const char* const value = value_of(environment, lower::follow_variable);
  if (value == nullptr) return;
  std::vector<std::string> words = split(value);
  const std::string program = own_program(), tool = words[0];
  leave_environment(environment);
  if (program.empty() || is_part_of_mana(program, tool)) return;
  words.insert(words.begin() + 1, {"follow", "child", blocked_signals(), program, "-1"});
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.insert(all.end(), arguments, arguments + count);
  all.push_back(nullptr);
  execve(tool.c_str(), all.data(), environment);
}

}  // namespace mana::wrappers
