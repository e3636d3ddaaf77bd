// Facts that the kernel tells about a descriptor of this process.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mana::descriptors {

/// Device and inode: identify a file while it exists.
using file_key = std::pair<std::uint64_t, std::uint64_t>;
inline file_key key_of(const struct stat& s) noexcept { return {s.st_dev, s.st_ino}; }

/// The flags that F_SETFL sets, except O_ASYNC, which belongs to a number.
inline constexpr int settable_flags = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;

/// Text of a descriptor's link in /proc; empty: no such descriptor.
std::string target_of(int fd);

/// The rest of each line of /proc/self/fdinfo/FD that begins with `start`.
std::vector<std::string> info_lines(int fd, const std::string& start);

/// The rest of a line "name:…"; empty: no such line.
std::string info_of(int fd, const std::string& name);

/// 0: no number.
std::uint64_t number_in(const std::string& text, int base);

/// False: the file was deleted, or another file has its name now.
bool still_named(const std::string& path, const struct stat& s) noexcept;

/// A path of /proc, without the suffix of the kernel for a deleted name.
std::string without_deleted(const std::string& path);

/// Opens the file of a descriptor again, as another open file. The file may have no name. -1: errno says why
int open_again(int fd, int flags) noexcept;

/// True if both are one open file, as after dup(2). False if the kernel does not tell (kcmp).
bool same_open_file(int one, int other) noexcept;

}  // namespace mana::descriptors
