// Pending receives at a restart.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/lower/cross.hpp>
#include <mana/object/datatype/descriptor.hpp>
#include <mana/object/request/pool.hpp>
#include <mana/vid/in_order.hpp>

namespace mana::restart {

inline void repost(wrap::request_entry& e) noexcept {
  const lower::bridge& b = lower::the_bridge();
  vid::descriptor<kind::request>& r = e.what;
  e.real = 0;
  if (r.cancelling) {             // no message came for it before the checkpoint, so the cancellation succeeds
    wrap::retire(e, wrap::cancelled_status);
    return;
  }
  const std::uint64_t type = real_of<kind::datatype>(r.names.datatype);
  const int rc = lower::cross([&] {
    return b.service->irecv(r.buffer, r.count, type, r.peer, r.tag, r.on->real, &e.real); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("a pending receive could not be posted again at restart"); });
}

/// Posts pending receives again, in the order in which the application had posted them.
inline void repost_receives() noexcept {
  vid::for_each_in_order<kind::request>(
      [](const wrap::request_entry& e) {
        return e.what.state == vid::request_state::active && e.what.form == vid::request_form::recv; },
      [](const wrap::request_entry& a, const wrap::request_entry& b) { return a.what.posted < b.what.posted; }, repost);
}

}  // namespace mana::restart
