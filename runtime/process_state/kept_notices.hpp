// Keeps the program's requests for notices of message queues across a restart. They are made last: earlier, a signal
// would find no handler of the program's. Also, a request ends as soon as any descriptor of the queue is closed.
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

/// If a queue was empty and has a message now, the message came while nobody could be notified: the program is notified
/// at once.
/// out: requests that could not be made again, as text
std::vector<std::string> ask_again(std::span<const kept_notice> notices);

/// A thread of mana's that gets its own table of descriptors ends the requests. From now on they are made again
/// afterwards.
void keep_notices_of_tables() noexcept;

}  // namespace mana::process_state
