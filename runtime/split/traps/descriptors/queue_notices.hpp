// Message queues whose messages the program wants notices of (mq_notify). The kernel shows which process gets the
// notice, and by which signal, but not with which value, so the trap keeps the request. The kernel also shows whether
// the request is still in force: a notice ends it, and so does closing any descriptor of the queue in this process.
// While it is in force, the descriptor of the request is therefore open.
#pragma once
#include <cstdint>
#include <vector>

namespace mana::split {

struct queue_notice {
  int fd;                            // of the queue, from the request
  int kind;                          // SIGEV_SIGNAL, SIGEV_NONE
  int signal;
  std::uint64_t value;               // sigev_value
};

/// This process has made the request.
void note_queue_notice(const queue_notice& asked) noexcept;

/// The requests that the kernel still has, and whose descriptors are readable.
std::vector<queue_notice> queue_notices();

/// Whether the kernel will notify this process of a message in the queue, by any means. False also if the descriptor is
/// unreadable.
bool is_to_be_told(int fd) noexcept;

}  // namespace mana::split
