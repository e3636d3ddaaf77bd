// Requests for checkpoints that need no client: signals, and calls of the program itself (mana/api.h).
#pragma once
#include <runtime/job/start_options.hpp>

namespace mana::job {

/// Called once per process, before the program starts or restarts. A signal that comes earlier waits.
/// errors: std::system_error
void begin_own_requests(const start_options& options);

/// out: an eventfd, see lower::bridge::requests
int own_requests() noexcept;

}  // namespace mana::job
