// Numbers of descriptors that programs do not get.
#pragma once
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mana::files {

inline constexpr int most_low_numbers = 512;

/// The first number of the lower half's own descriptors, as far as the limit of open files permits.
inline int first_high_number() noexcept {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(std::min<rlim_t>(most_low_numbers, limit.rlim_cur / 2));
}

/// in: made  a new descriptor, which nobody knows yet
/// out: another descriptor of the same open file with a high number; `made` itself if no higher number is free. Keeps
///      errno.
inline int out_of_the_way(int made) noexcept {
  if (made < 0 || made >= first_high_number()) return made;
  const int before = errno;
  const int duplicate = (fcntl(made, F_GETFD) & FD_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD;
  const int moved = fcntl(made, duplicate, first_high_number());
  if (moved >= 0) close(made);
  errno = before;
  return moved >= 0 ? moved : made;
}

}  // namespace mana::files
