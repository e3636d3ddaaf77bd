// The name of a communicator in a drain's report.
#pragma once
#include <mana/drain/sentence.hpp>
#include <mana/object/comm/state.hpp>

namespace mana::object {

/// "MPI_COMM_WORLD", the communicator's name, or its size.
inline drain::sentence& operator<<(drain::sentence& s, const traffic& t) noexcept {
  const comm_state& all = comms();
  const descriptor<kind::comm>* found = nullptr;
  for (const auto* own : {&all.world, &all.self})
    if (own->what.messages == &t) found = &own->what;
  vid::table<kind::comm>().for_each_unordered([&](const auto& e) { if (e.what.messages == &t) found = &e.what; });
  if (&t == all.hidden.what.messages || &t == all.partitioned.what.messages) return s << "a communicator of mana's own";
  if (found != nullptr && found->name[0] != '\0') return s << found->name;
  return s << "a communicator of " << t.peers->size << " ranks" << (t.is_freed ? " that was freed" : "");
}

}  // namespace mana::object
