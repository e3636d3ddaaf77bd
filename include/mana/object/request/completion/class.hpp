// Requests at a checkpoint and at a restart.
#pragma once
#include <mana/object/request/completion/drain.hpp>
#include <mana/object/request/completion/repost.hpp>

namespace mana {

template <>
struct object_class<kind::request> {
  static int complete(drain::progress& judge) noexcept {
    return object::test_requests(object::is_collective, &judge) + object::test_requests(object::is_one_sided, &judge);
  }
  static int look(drain::progress& judge) noexcept {
    object::test_requests(object::is_receive, &judge);
    return object::test_requests(object::is_send, &judge);
  }
  static void describe(drain::sentence& said) noexcept {
    vid::table<kind::request>().for_each_unordered([&](const object::request_entry& e) {
      if (e.what.state != object::request_stage::active || !e.real || !object::is_send(e.what)) return;
      const int peer = e.what.message().peer;
      const object::traffic& on = *e.what.messages;
      if (peer >= 0)
        said << (said.empty() ? "waits for " : ", for ") << "a send to rank " << on.peers->world_ranks[peer] << " on "
             << on << " to complete";
    });
  }
  static void rebuild() noexcept { object::repost_receives(); }
};

}  // namespace mana
