#include <runtime/tools/launch/exec.hpp>

#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace mana::tools {

void become(const std::filesystem::path& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{file.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(file.c_str(), pointers.data());
  const int error = errno;
  throw failure(error == E2BIG ? exit_status::usage : exit_status::parts_missing,
                fmt::format("{} cannot be started: {}", file.string(), std::strerror(error)),
                error == E2BIG ? "shorten the arguments or the environment: together they are too long"
                               : "install mana again, and make the file executable");
}

void hold_requests(std::uint64_t signals) noexcept {
  ::syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signals, nullptr, sizeof signals);
}

void warn(const std::string& text) {
  if (!text.empty()) fmt::print(stderr, "mana: warning: {}\n", text);
}

void use_default_layout() noexcept {
  const int now = ::personality(0xffffffff);
  if (now >= 0 && (now & ADDR_COMPAT_LAYOUT) != 0) ::personality(static_cast<unsigned long>(now & ~ADDR_COMPAT_LAYOUT));
}

std::filesystem::path find_command(const std::string& name, const environment& get) {
  const char* const path = get("PATH");
  const std::string list = path ? path : "/bin:/usr/bin";
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    const auto candidate = std::filesystem::path(end == begin ? "." : list.substr(begin, end - begin)) / name;
    std::error_code ignored;
    const bool there = std::filesystem::is_regular_file(candidate, ignored);
    if (there && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    begin = end + 1;
  }
  return {};
}

std::string seconds(double value) { return fmt::format("{:g}", value); }

}  // namespace mana::tools
