#include <runtime/descriptors/base/low_descriptor_guard.hpp>
#include <runtime/files/high_number.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace mana::descriptors {

namespace {

using numbers = std::bitset<most_low_descriptors>;

numbers taken;         // by guards, open on /dev/null
numbers handed_down;   // open when this process began

void close_all(const numbers& which) noexcept {
  for (std::size_t fd = 0; fd < which.size(); ++fd)
    if (which.test(fd)) close(static_cast<int>(fd));
}

/// Takes every free low number. Returns the numbers taken.
numbers take_free_numbers() noexcept {
  numbers now;
  const int end = first_lower_descriptor();
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  int fd = fcntl(null, F_DUPFD_CLOEXEC, 0);
  for (; fd >= 0 && fd < end; fd = fcntl(null, F_DUPFD_CLOEXEC, 0)) now.set(static_cast<std::size_t>(fd));
  if (fd >= 0) close(fd);   // the first high number
  if (null >= end) {
    close(null);
  } else if (null >= 0) {
    now.set(static_cast<std::size_t>(null));
  }
  taken |= now;
  return now;
}

}  // namespace

int first_lower_descriptor() noexcept { return files::first_high_number(); }

low_descriptor_guard::low_descriptor_guard() : own_(take_free_numbers()) {}

low_descriptor_guard::~low_descriptor_guard() {
  close_all(own_ & taken);
  taken &= ~own_;
}

bool give_number(int fd) noexcept {
  if (fd < 0 || fd >= most_low_descriptors) return false;
  const auto number = static_cast<std::size_t>(fd);
  const bool may = taken.test(number) || handed_down.test(number);
  taken.reset(number);
  handed_down.reset(number);
  return may;
}

bool is_guarded(int fd) noexcept {
  const auto number = static_cast<std::size_t>(fd);
  return fd >= 0 && fd < most_low_descriptors && (taken.test(number) || handed_down.test(number));
}

void release_low_numbers() noexcept {
  close_all(taken);
  taken.reset();
}

namespace {

/// Gives the process manager's descriptor a high number, and names that number in this process's environment.
void take_managers_descriptor(bool leaves_it) noexcept {
  const char* const text = std::getenv("PMI_FD");
  if (text == nullptr) return;
  const int fd = std::atoi(text);
  const int taken_as = fcntl(fd, F_DUPFD_CLOEXEC, first_lower_descriptor());
  if (taken_as < 0) return;
  if (!leaves_it) close(fd);
  setenv("PMI_FD", std::to_string(taken_as).c_str(), 1);
}

void take_low_numbers() noexcept {
  for (int fd = 0; fd < first_lower_descriptor(); ++fd)
    if (fcntl(fd, F_GETFD) >= 0) handed_down.set(static_cast<std::size_t>(fd));
  take_free_numbers();
}

}  // namespace

void copy_launcher_descriptor() noexcept {
  take_managers_descriptor(true);
  take_low_numbers();
}

void move_launcher_descriptor() noexcept {
  take_managers_descriptor(false);
  take_low_numbers();
}

}  // namespace mana::descriptors
