// How this rank asks for checkpoints without a client: by signals, and by the program itself (mana/api.h).
#pragma once
#include <runtime/job/start_options.hpp>

namespace mana::job {

/// Once per process, before the program starts or starts again. Signals that come until then wait.
/// errors: std::system_error
void begin_own_requests(const start_options& options);

/// eventfd, see lower::bridge::requests
int own_requests() noexcept;

}  // namespace mana::job
