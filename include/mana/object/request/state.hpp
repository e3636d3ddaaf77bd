// State of all requests.
#pragma once
#include <mana/object/request/descriptor.hpp>

#include <atomic>

namespace mana::object {

struct request_state {
  std::atomic<std::uint64_t> next_posted{1};
  std::atomic<int> unready{0};              // requests in that stage
  bool shares_requests = false;             // several threads may test a partitioned request at once

  // Requests that were freed while active, oldest first.
  vid::entry<kind::request>* first_detached = nullptr;
  vid::entry<kind::request>* last_detached = nullptr;
  std::atomic_flag detached_lock = ATOMIC_FLAG_INIT;    // protects both
};

inline request_state the_requests;
inline request_state& requests() noexcept { return the_requests; }

}  // namespace mana::object
