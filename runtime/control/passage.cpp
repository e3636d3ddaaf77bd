#include <runtime/control/passage.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace mana::control {

namespace {

int reserved = -1, closed = -1;      // the placeholder at the number, and a copy to put back

}  // namespace

void reserve_passage(int number) noexcept {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  reserved = fcntl(null, F_DUPFD_CLOEXEC, number);
  closed = fcntl(null, F_DUPFD_CLOEXEC, number);
  close(null);
  if (reserved >= 0 && closed >= 0) return;
  if (reserved >= 0) close(reserved);
  reserved = -1;
}

passage::passage(int fd) noexcept : number_(fd) {
  if (reserved < 0 || dup3(fd, reserved, O_CLOEXEC) < 0) return;
  number_ = reserved;
  close(fd);
}

passage::~passage() {
  if (number_ == reserved) dup3(closed, reserved, O_CLOEXEC);
  else close(number_);
}

}  // namespace mana::control
