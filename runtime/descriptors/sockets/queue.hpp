// What a socket would receive, read without taking it: a checkpoint after which the program continues changes nothing.
#pragma once
#include <runtime/descriptors/sockets/options.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>

namespace mana::descriptors {

/// Takes a descriptor that is on its way in a message, and gives the number by which the image knows its open file.
using take_passed = std::function<std::uint64_t(int fd)>;

struct queue_found {
  nlohmann::json messages = nlohmann::json::array();  // {"bytes", "from"?, "files"?, "urgent"?}; of a stream in parts
  bool incomplete = false;                            // some of it cannot be looked at
  bool cut_files = false;  // descriptors are on their way that do not fit beside the open ones (ulimit -n)
};

/// INV-76 looking at a socket takes nothing of it: bytes and descriptors on their way, a pending error, and the place
/// that SO_PEEK_OFF says, stay.
queue_found messages_at(int fd, const socket_kind& kind, const take_passed& take);

/// Events of poll(2), of which errors and ends come unasked. None of them is taken.
int events_at(int fd, short asked = 0) noexcept;

/// What a socket has on its way out, as the kernel counts it.
int unsent_at(int fd) noexcept;

/// What of a TCP connection stands in the sender's queue comes into the receiver's, where it can be looked at. The
/// receiver may get a larger buffer for that, if the kernel chooses its size. False: it does not come.
bool let_bytes_come(int sender, int receiver);

}  // namespace mana::descriptors
