// Counts the MPI objects that the program holds, for the image.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/lower/inventory.hpp>
#include <mana/lower/signals.hpp>
#include <mana/object/classes.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/vid/id_table.hpp>

#include <cstdint>

namespace mana::checkpoint {

inline void note_count(lower::counted what, std::uint64_t number) noexcept {
  lower::the_bridge().inventory[static_cast<unsigned>(what)] = number;
}

template <class K>
void note_number(lower::counted what) noexcept {
  std::uint64_t number = 0;
  vid::table<K>().for_each_unordered([&number](const auto& e) {
    if constexpr (requires { object_class<K>::is_counted(e); }) number += object_class<K>::is_counted(e);
    else ++number;
  });
  note_count(what, number);
}

/// Counts objects with ids, not the predefined ones. Call it when nothing is in flight and no other thread runs.
template <class Classes>
inline void note_inventory() noexcept {
  using lower::counted;
  for_each_kind<Classes>([]<class K, class Facts>(K, Facts) { note_number<K>(Facts::counted); });
  std::uint64_t messages = 0, bytes = 0;
  object::comms().inbox.for_each([&](const object::held_message& m) {
    ++messages;
    bytes += static_cast<std::uint64_t>(m.bytes);
  });
  note_count(counted::inbox_messages, messages);
  note_count(counted::inbox_bytes, bytes);
}

}  // namespace mana::checkpoint
