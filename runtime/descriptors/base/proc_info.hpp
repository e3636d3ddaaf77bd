// What the kernel tells about a descriptor of this process.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mana::descriptors {

/// Device and inode: tells one file from every other while it lives.
using file_key = std::pair<std::uint64_t, std::uint64_t>;
inline file_key key_of(const struct stat& s) noexcept { return {s.st_dev, s.st_ino}; }

/// What F_SETFL sets, but for O_ASYNC, which belongs to a number.
inline constexpr int settable_flags = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;

/// Text of a descriptor's link in /proc; empty if there is none.
std::string target_of(int fd);

/// The rest of each line of /proc/self/fdinfo/FD that begins with `start`.
std::vector<std::string> info_lines(int fd, const std::string& start);

/// The rest of a line "name:…"; empty if there is none.
std::string info_of(int fd, const std::string& name);

/// 0 if there is none.
std::uint64_t number_in(const std::string& text, int base);

/// False: the file was deleted, or what bears its name now is another.
bool still_named(const std::string& path, const struct stat& s) noexcept;

/// A path of /proc without what the kernel appends to it when the name is gone.
std::string without_deleted(const std::string& path);

/// Opens the file of a descriptor once more: another open file, of what may have no name any more. -1: errno says why.
int open_again(int fd, int flags) noexcept;

/// True if both are one open file, as by dup(2). False also where the kernel does not tell (kcmp).
bool same_open_file(int one, int other) noexcept;

}  // namespace mana::descriptors
