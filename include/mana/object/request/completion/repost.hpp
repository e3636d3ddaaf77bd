// Pending receives at a restart.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/lower/cross.hpp>
#include <mana/object/datatype/descriptor.hpp>
#include <mana/object/request/pool.hpp>
#include <mana/vid/in_order.hpp>

namespace mana::object {

inline void repost(request_entry& e) noexcept {
  const lower::bridge& b = lower::the_bridge();
  descriptor<kind::request>& r = e.what;
  e.real = {};
  if (r.cancelling) {             // no message came for it before the checkpoint, so the cancellation succeeds
    retire(e, cancelled_status);
    return;
  }
  const message_part& m = r.message();
  const auto type = real_of<kind::datatype>(r.names.datatype);
  const int rc = lower::cross([&] {
    return b.service->irecv(m.buffer, m.count, type, m.peer, m.tag, r.on->real, &e.real); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("a pending receive could not be posted again at restart"); });
}

/// Posts pending receives again, in the order in which the program had posted them.
inline void repost_receives() noexcept {
  vid::for_each_in_order<kind::request>(
      [](const request_entry& e) {
        return e.what.state == request_stage::active && e.what.form == request_form::recv; },
      [](const request_entry& a, const request_entry& b) {
        return a.what.message().posted < b.what.message().posted; }, repost);
}

}  // namespace mana::object
