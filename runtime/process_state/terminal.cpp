#include <runtime/process_state/terminal.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cstring>
#include <optional>

namespace mana::process_state {

namespace {

class terminal {
 public:
  terminal() noexcept : opened_(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)), fd_(opened_) {
    for (int standard = 0; fd_ < 0 && standard < 3; ++standard)
      if (isatty(standard) != 0) fd_ = standard;
  }
  ~terminal() {
    if (opened_ >= 0) close(opened_);
  }
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  int fd() const noexcept { return fd_; }
  /// 0: no terminal that this process may set.
  unsigned device() const noexcept {
    unsigned number = 0;
    const pid_t foreground = fd_ < 0 ? -1 : tcgetpgrp(fd_);
    const bool is_ours = foreground == getpgrp() || foreground < 0;      // < 0: another session's
    return fd_ >= 0 && is_ours && ioctl(fd_, TIOCGDEV, &number) == 0 ? number : 0;
  }

 private:
  int opened_, fd_;
};

/// The terminal that this process began with.
unsigned first_device(unsigned now) noexcept {
  static const unsigned first = now;
  return first;
}

}  // namespace

words read_terminal() {
  const terminal t;
  const unsigned device = t.device();
  termios settings{};
  if (first_device(device) != device || device == 0 || tcgetattr(t.fd(), &settings) != 0) return {};
  words value((sizeof settings + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
  std::memcpy(value.data(), &settings, sizeof settings);
  return value;
}

bool write_terminal(const words& value) {
  const terminal t;
  termios settings{};
  if (t.device() == 0 || value.size() * sizeof value[0] < sizeof settings) return false;
  std::memcpy(&settings, value.data(), sizeof settings);
  return tcsetattr(t.fd(), TCSANOW, &settings) == 0;
}

}  // namespace mana::process_state
