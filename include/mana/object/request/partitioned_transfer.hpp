// Partitioned messages: one message for all partitions, sent when the last one is ready. They travel on a communicator
// of the wrapper library, so that nothing else matches them.
#pragma once
#include <mana/lower/neutral.hpp>
#include <mana/vid/id_table.hpp>

#include <atomic>
#include <cstdint>

namespace mana::object {

struct held_message;

/// Pairs a send with a receive: both ranks initialised it as the ordinal-th between them with this tag on this
/// communicator. The first message of a send carries the channel, before the packed data. number: tag of all later
/// messages. The sender chooses it, and uses it for no other channel to that process.
struct partition_channel {
  std::uint64_t ggid, check;      // name of the communicator on both ranks
  std::int32_t tag;
  std::int32_t ordinal;
  std::int32_t number;
  std::int32_t reserved;
  bool pairs_with(const partition_channel& o) const noexcept {
    return ggid == o.ggid && check == o.check && tag == o.tag && ordinal == o.ordinal;
  }
};
static_assert(sizeof(partition_channel) == 32);

/// Owned by its request, whose peer and tag are those on the wrapper library's communicator: a world rank and a number.
struct partitioned_transfer {
  partition_channel channel{};          // number 0: of a receive that does not know its send yet
  int peer = 0;                         // neutral rank in the program's communicator
  int partitions = 0;
  std::atomic<int> missing{0};          // of a send: partitions that are not ready
  bool needs_large_counts = false;      // if packed
  bool is_first = true;                 // of a send: no message has left yet
  held_message* first = nullptr;        // of a receive: the first message, until the receive is started
  std::atomic_flag polled = ATOMIC_FLAG_INIT;   // a thread is testing the request
  vid::entry<kind::request>* next_unpaired = nullptr;    // in the list of receives that do not know their send yet

  /// Changes a receive's status into the one that the program sees.
  void name_in_comm(neutral::status& s) const noexcept {
    if (s.source < 0) return;
    s.source = peer;
    s.tag = channel.tag;
  }
};

}  // namespace mana::object
