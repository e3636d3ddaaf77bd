#include "own_requests.hpp"

#include <low_descriptor_guard.hpp>
#include <upper_half.hpp>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace mana::run {

namespace {
int descriptor = -1;
}

void begin_own_requests(const start_options& options) {
  const int low = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  descriptor = fcntl(low, F_DUPFD_CLOEXEC, descriptors::first_lower_descriptor());
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "a descriptor for requests");
  close(low);
  split::set_request_sources({descriptor, options.checkpoint_signals | options.stop_signals, options.stop_signals});
}

int own_requests() noexcept { return descriptor; }

}  // namespace mana::run
