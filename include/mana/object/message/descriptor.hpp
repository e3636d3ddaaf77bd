// The descriptor of a matched message: MPI_Mprobe has found it, and nobody has received it yet.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/object/comm/descriptor.hpp>
#include <mana/object/comm/inbox.hpp>
#include <mana/vid/object_class.hpp>

namespace mana {

template <>
struct class_facts<kind::message> {
  static constexpr int error = neutral::err_request;
  static constexpr lower::counted counted = lower::counted::messages;
  static constexpr bool follows_thread_level = true;
};


template <>
struct descriptor<kind::message> {
  object::held_message* held = nullptr;  // the drained message; if null, entry::real is the matched message
  vid::entry<kind::comm>* on = nullptr;  // the communicator; a counted reference
  object::traffic* messages = nullptr;   // the communicator's
  std::uint64_t matched = 0;             // order of matching among this rank's messages and receives
  std::uint64_t passed = 0;  // messages of the same source and tag that were sent later, but received before this one
  neutral::status status{};              // as probed
};

}  // namespace mana
