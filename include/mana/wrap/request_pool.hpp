// Virtual requests: made when an operation is started, retired when it has completed.
#pragma once
#include <mana/wrap/library.hpp>

#include <mana/vid/datatype_descriptor.hpp>

#include <cstdlib>

namespace mana::wrap {

using request_entry = vid::entry<kind::request>;

/// An active request without a real one yet. out: nullptr when all ids are in use
inline request_entry* new_request(vid::request_form form, const vid::rank_map& ranks) noexcept {
  request_entry* const e = vid::table<kind::request>().insert_entry();
  if (e == nullptr) return nullptr;
  e->what.form = form;
  e->what.ranks = &ranks;
  return e;
}

/// Never in a drain for requests that own memory: those are collectives, which the application itself completes.
inline void free_request(request_entry& e) noexcept {
  for (void*& memory : e.what.owned) {
    if (memory != nullptr) std::free(memory);
    memory = nullptr;
  }
  vid::table<kind::request>().erase(e);
}

/// Its operation is over in the lower half: counts the message and stores the status for the application. A detached
/// request stays, done, until its turn comes (detached.hpp).
/// status.error says how it ended. Runs in drains too, so it frees nothing that came from malloc.
inline void retire(request_entry& e, const neutral::status& status) noexcept {
  vid::descriptor<kind::request>& r = e.what;
  e.real = 0;
  r.status = status;
  r.state = vid::request_state::done;
  r.cancelling = false;
  if (r.form == vid::request_form::recv || r.form == vid::request_form::matched_recv) {
    if (status.cancelled == 0) count_received(*r.ranks, status.source);
    vid::release_datatype(r.datatype);
  } else if (status.cancelled != 0 && r.peer >= 0) {       // a cancelled send was never sent
    __atomic_fetch_sub(&library().sent[r.ranks->world_ranks[r.peer]], 1, __ATOMIC_RELAXED);
  }
}

}  // namespace mana::wrap
