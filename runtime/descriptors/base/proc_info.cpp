#include <runtime/descriptors/base/proc_info.hpp>

#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string_view>

namespace mana::descriptors {

std::string target_of(int fd) {
  char text[4097] = {};
  const ssize_t n = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), text, sizeof text - 1);
  return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : std::string();
}

std::vector<std::string> info_lines(int fd, const std::string& start) {
  std::vector<std::string> found;
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(fd));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(start)) found.push_back(line.substr(start.size()));
  return found;
}

std::string info_of(int fd, const std::string& name) {
  const std::vector<std::string> lines = info_lines(fd, name + ":");
  return lines.empty() ? std::string() : lines.front();
}

std::uint64_t number_in(const std::string& text, int base) {
  const std::size_t from = text.find_first_not_of(" \t");
  return from == std::string::npos ? 0 : std::stoull(text.substr(from), nullptr, base);
}

bool still_named(const std::string& path, const struct stat& s) noexcept {
  struct stat now{};
  return lstat(path.c_str(), &now) == 0 && key_of(now) == key_of(s);
}

std::string without_deleted(const std::string& path) {
  constexpr std::string_view mark = " (deleted)";
  return path.ends_with(mark) ? path.substr(0, path.size() - mark.size()) : path;
}

int open_again(int fd, int flags) noexcept {
  char name[40];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  return open(name, flags | O_CLOEXEC | O_NOCTTY);
}

bool same_open_file(int one, int other) noexcept {
  const long self = getpid();
  return syscall(SYS_kcmp, self, self, KCMP_FILE, one, other) == 0;
}

}  // namespace mana::descriptors
