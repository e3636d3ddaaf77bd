// Message queues of which the program is to be told, across a restart. They are asked for again last of all: until then a
// signal would find no handler of the program's, and each descriptor of the queue that is closed would end it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::process_state {

struct kept_notice {
  int fd;
  int kind, signal;                  // as split::queue_notice
  std::uint64_t value;
  std::int64_t messages;             // in the queue, at the checkpoint
};

std::vector<kept_notice> read_notices();

/// A queue that was empty, and has a message now, got it while nobody could be told: the program is told at once.
/// out: what could not be asked for again, in words
std::vector<std::string> ask_again(std::span<const kept_notice> notices);

/// From now on they are asked for again where a thread of mana's that gets a table of descriptors of its own ends them.
void keep_notices_of_tables() noexcept;

}  // namespace mana::process_state
