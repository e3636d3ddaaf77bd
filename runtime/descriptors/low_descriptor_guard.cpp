#include "low_descriptor_guard.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace mana::descriptors {

int first_lower_descriptor() noexcept {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(std::min<rlim_t>(512, limit.rlim_cur / 2));
}

low_descriptor_guard::low_descriptor_guard() {
  const int end = first_lower_descriptor();
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  if (null < end) fillers_.push_back(null);
  for (;;) {
    const int fd = fcntl(null, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) break;
    if (fd >= end) {
      close(fd);
      break;
    }
    fillers_.push_back(fd);
  }
  if (null >= end) close(null);
}

low_descriptor_guard::~low_descriptor_guard() {
  for (const int fd : fillers_) close(fd);
}

void move_launcher_descriptor() noexcept {
  const char* const text = std::getenv("PMI_FD");
  if (text == nullptr) return;
  const int fd = std::atoi(text);
  const int moved = fcntl(fd, F_DUPFD, first_lower_descriptor());
  if (moved < 0) return;
  close(fd);
  setenv("PMI_FD", std::to_string(moved).c_str(), 1);
}

}  // namespace mana::descriptors
