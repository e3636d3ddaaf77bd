#include <runtime/descriptors/base/naming_turn.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

namespace mana::descriptors {

namespace {

struct address {
  sockaddr_un name{};
  socklen_t bytes = 0;
};

/// The kernel's own name space of sockets needs no file.
address address_of(const struct stat& directory) noexcept {
  address a;
  a.name.sun_family = AF_UNIX;
  const int length = std::snprintf(a.name.sun_path + 1, sizeof a.name.sun_path - 1, "mana-nameless-%u-%llx-%llx", geteuid(),
                                   static_cast<unsigned long long>(directory.st_dev),
                                   static_cast<unsigned long long>(directory.st_ino));
  a.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
  return a;
}

enum class wait_result { over, not_yet, impossible };

/// Waits until the holder of the turn closes its socket.     out: not_yet: the holder is between bind and listen, or
/// has just closed it
wait_result wait_for(const address& a) noexcept {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return wait_result::impossible;
  wait_result how = wait_result::impossible;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&a.name), a.bytes) != 0) {
    if (errno == ECONNREFUSED || errno == EINTR) how = wait_result::not_yet;
  } else {
    ucred who{};
    socklen_t bytes = sizeof who;
    char none = 0;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 && who.uid == geteuid()) {
      while (read(fd, &none, 1) < 0 && errno == EINTR) {}
      how = wait_result::over;
    }
  }
  close(fd);
  return how;
}

}  // namespace

naming_turn::naming_turn(const std::string& directory) noexcept {
  struct stat about{};
  if (stat(directory.c_str(), &about) != 0) return;
  const address a = address_of(about);
  constexpr int most_tries = 10000;       // without meeting a holder: then no rank has the address
  for (int tries = 0; tries < most_tries;) {
    held_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (held_ < 0) return;
    if (bind(held_, reinterpret_cast<const sockaddr*>(&a.name), a.bytes) == 0 && listen(held_, 128) == 0) return;
    close(held_);
    held_ = -1;
    const wait_result how = wait_for(a);
    if (how == wait_result::impossible) return;
    tries = how == wait_result::over ? 0 : tries + 1;
  }
}

naming_turn::~naming_turn() {
  const int error = errno;
  if (held_ >= 0) close(held_);
  errno = error;
}

}  // namespace mana::descriptors
