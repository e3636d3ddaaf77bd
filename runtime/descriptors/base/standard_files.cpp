#include <runtime/descriptors/base/standard_files.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

namespace mana::descriptors {

bool is_stream(int fd) noexcept {
  struct stat s{};
  return fstat(fd, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) || isatty(fd) != 0);
}

standard_files standard_files::here() {
  standard_files found;
  for (std::size_t i = 0; i < 3; ++i)
    if (struct stat s{}; fstat(static_cast<int>(i), &s) == 0) found.keys_[i] = key_of(s);
  return found;
}

standard_files standard_files::parse(const std::string& words) {
  standard_files found;
  std::istringstream in(words);
  std::string word;
  for (std::size_t i = 0; i < 3 && std::getline(in, word, ','); ++i) {
    unsigned long long device = 0, inode = 0;
    if (std::sscanf(word.c_str(), "%llu:%llu", &device, &inode) == 2) found.keys_[i] = file_key{device, inode};
  }
  return found;
}

std::string standard_files::words() const {
  std::string text;
  for (const auto& key : keys_) {
    text += text.empty() ? "" : ",";
    text += key ? std::to_string(key->first) + ":" + std::to_string(key->second) : "-";
  }
  return text;
}

bool standard_files::is_input(int fd) const noexcept {
  struct stat s{};
  return fstat(fd, &s) == 0 && keys_[0] == key_of(s);
}

/// A regular file as standard input belongs to the program, with its position, whoever opened it. An output stream that
/// is not the launcher's (`| tee`) cannot be made again, nor can a terminal: the new launcher's stands in for it. A
/// pipe or socket for input belongs to the program, because another launcher would send other bytes.
int standard_files::of(int fd) const noexcept {
  struct stat s{};
  if (fstat(fd, &s) != 0) return -1;
  const bool stream = is_stream(fd);
  if (fd > 2 && !stream) return -1;
  if (fd == 0 && S_ISREG(s.st_mode)) return -1;
  const auto is = [&](int i) { return keys_[static_cast<std::size_t>(i)] == key_of(s); };
  if (fd <= 2 && is(fd)) return fd;
  for (int i = 0; i < 3; ++i)
    if (is(i)) return i;
  const bool is_own_input = fd == 0 && isatty(fd) == 0;
  return fd <= 2 && stream && !is_own_input ? fd : -1;
}

}  // namespace mana::descriptors
