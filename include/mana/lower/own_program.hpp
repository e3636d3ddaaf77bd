// The links of /proc to the program that a process runs. In a process under mana they lead to the lower half: the
// kernel changes that link for privileged processes only, and never while the old file is mapped.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstring>

namespace mana::lower {

inline constexpr const char* own_program_link = "/proc/self/exe";

/// Whether a path may be the path of such a link.
/// in: end  the path, or at least its last four characters
inline bool is_named_as_link(const char* end) noexcept {
  const std::size_t n = std::strlen(end);
  return n >= 3 && std::memcmp(end + n - 3, "exe", 3) == 0 && (n == 3 || end[n - 4] == '/');
}

/// Whether the path, by whatever name, is such a link of this process, or of another process with the same lower half.
/// in: call  makes a system call of four arguments; a result below 0 is an error
///     path  its address
template <class Call>
bool leads_to_own_program(Call&& call, long directory, long path) noexcept {
  struct stat link, own_link, file, own;
  const long own_path = reinterpret_cast<long>(own_program_link);
  const auto look = [&](long at, long name, struct stat& found, long flags) {
    return call(SYS_newfstatat, at, name, reinterpret_cast<long>(&found), flags) >= 0;
  };
  return look(directory, path, link, AT_SYMLINK_NOFOLLOW) && S_ISLNK(link.st_mode) &&
         look(AT_FDCWD, own_path, own_link, AT_SYMLINK_NOFOLLOW) && link.st_dev == own_link.st_dev &&
         look(directory, path, file, 0) && look(AT_FDCWD, own_path, own, 0) && file.st_dev == own.st_dev &&
         file.st_ino == own.st_ino;
}

/// As above.     in: path  readable
template <class Call>
bool shows_own_program(Call&& call, long directory, const char* path) noexcept {
  return is_named_as_link(path) && leads_to_own_program(call, directory, reinterpret_cast<long>(path));
}

}  // namespace mana::lower
