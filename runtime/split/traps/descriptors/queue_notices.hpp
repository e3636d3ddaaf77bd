// Message queues of which the program is to be told (mq_notify). The kernel says who is to be told, and by which signal, but not
// with which value: the trap takes notice of what was asked for. Whether it still is, the kernel says: what was told once is over,
// and so it is as soon as the process closes any descriptor of the queue; so the one that was asked by is open as long as it is not.
#pragma once
#include <cstdint>
#include <vector>

namespace mana::split {

struct queue_notice {
  int fd;                            // of the queue, by which it was asked for
  int kind;                          // SIGEV_SIGNAL, SIGEV_NONE
  int signal;
  std::uint64_t value;               // sigev_value
};

/// It was asked for by this process.
void note_queue_notice(const queue_notice& asked) noexcept;

/// Those that the kernel still has, and can be asked for of a descriptor that can be read.
std::vector<queue_notice> queue_notices();

/// The kernel is to tell this process of a message in the queue, by whatever means. False: not, or the descriptor cannot be read.
bool is_to_be_told(int fd) noexcept;

}  // namespace mana::split
