#include <runtime/job/own/own_requests.hpp>

#include <runtime/split/window/upper_half.hpp>

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace mana::job {

namespace {
int descriptor = -1;
}

void begin_own_requests(const start_options& options) {
  descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "a descriptor for requests");
  split::set_request_sources({descriptor, options.checkpoint_on | options.stop_on, options.stop_on});
}

int own_requests() noexcept { return descriptor; }

}  // namespace mana::job
