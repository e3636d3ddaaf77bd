// Reads the contents of a socket's queue without taking them: a checkpoint changes nothing for a program that
// continues.
#pragma once
#include <runtime/descriptors/sockets/options.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>

namespace mana::descriptors {

/// Takes a descriptor from a message in the queue, and returns the image's number of its open file.
using take_passed = std::function<std::uint64_t(int fd)>;

struct queue_found {
  nlohmann::json messages = nlohmann::json::array();  // {"bytes", "from"?, "files"?, "urgent"?}; of a stream in parts
  bool incomplete = false;                            // a part of it cannot be looked at
  bool cut_files = false;  // descriptors in messages do not fit beside the open ones (ulimit -n)
};

/// INV-76 looking at a socket takes nothing of it. Bytes and descriptors in its queue, a pending error, and the value
/// of SO_PEEK_OFF stay.
queue_found messages_at(int fd, const socket_kind& kind, const take_passed& take);

/// Events of poll(2), including errors and ends, which poll reports unasked. Takes none of them.
int events_at(int fd, short asked = 0) noexcept;

/// Unsent bytes of a socket, as the kernel counts them.
int unsent_at(int fd) noexcept;

/// Moves bytes of a TCP connection from the sender's queue to the receiver's, where they can be looked at. If the
/// kernel chooses the size of the receiver's buffer, the buffer may grow. False: bytes remain in the sender's queue.
bool let_bytes_come(int sender, int receiver);

}  // namespace mana::descriptors
