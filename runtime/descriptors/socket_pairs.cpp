#include "socket_pairs.hpp"

#include "failure.hpp"
#include "proc_info.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int kept_options[] = {SO_PASSCRED, SO_RCVLOWAT, SO_SNDBUF, SO_RCVBUF};

int option(int fd, int name) noexcept {
  int value = 0;
  socklen_t n = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &n) == 0 ? value : -1;
}

json options_of(int fd) {
  json all = json::array();
  for (const int name : kept_options) all.push_back(option(fd, name));
  for (const int name : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    timeval time{};
    socklen_t n = sizeof time;
    getsockopt(fd, SOL_SOCKET, name, &time, &n);
    all.push_back({time.tv_sec, time.tv_usec});
  }
  return all;
}

void set_options(int fd, const json& all) {
  std::size_t at = 0;
  for (const int name : kept_options) {
    int value = all.at(at++);
    if (name == SO_SNDBUF || name == SO_RCVBUF) value /= 2;   // the kernel doubles what it is given
    setsockopt(fd, SOL_SOCKET, name, &value, sizeof value);
  }
  for (const int name : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    const json& pair = all.at(at++);
    const timeval time{pair.at(0).get<time_t>(), pair.at(1).get<suseconds_t>()};
    setsockopt(fd, SOL_SOCKET, name, &time, sizeof time);
  }
}

/// POLLRDHUP: nothing more will come; POLLHUP: the other end is closed, or both directions are shut down.
int ended(int fd) noexcept {
  pollfd asked{fd, POLLRDHUP, 0};
  return poll(&asked, 1, 0) == 1 ? asked.revents & (POLLRDHUP | POLLHUP) : 0;
}

/// What an end would receive, message by message; of a stream all in one. It stays there.
/// passed: set if descriptors are on their way, which are not kept
json messages_at(int fd, std::size_t room, bool& passed) {
  json messages = json::array();
  std::vector<std::uint8_t> bytes(room);
  int offset = 0;
  setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset);
  for (;;) {
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    const ssize_t n = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 || (n == 0 && (option(fd, SO_TYPE) == SOCK_STREAM || ended(fd) != 0))) break;
    passed |= (message.msg_flags & MSG_CTRUNC) != 0 && option(fd, SO_PASSCRED) <= 0;
    messages.push_back(json::binary({bytes.begin(), bytes.begin() + n}));
  }
  offset = -1;
  setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset);
  return messages;
}

json describe_end(int fd, std::size_t room, bool& passed) {
  return {{"options", options_of(fd)}, {"messages", messages_at(fd, room, passed)}, {"ended", ended(fd)}};
}

/// Sends what `end` is to find, from the other one.
void send_messages(int from, const json& end, const json& row) {
  for (const json& message : end.at("messages")) {
    const auto& bytes = message.get_binary();
    if (send(from, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
      fail(row.at("path"), "what was on its way in this socket cannot be sent again");
  }
  if (end.at("ended") != 0) shutdown(from, SHUT_WR);
}

}  // namespace

bool describe_socket_pair(const owned_descriptor& own, json& row, const std::vector<owned_descriptor>& all,
                          report& said) {
  if (own.peer == 0) return false;
  const int fd = own.number;
  const auto other = std::find_if(all.begin(), all.end(), [&](const auto& d) {
    return d.file == own.peer && fcntl(d.number, F_GETFD) >= 0;
  });
  const bool closed = other == all.end();
  if (closed && (ended(fd) & POLLHUP) == 0) return false;   // another process has it
  row["kind"] = "socket pair";
  row["peer"] = own.peer;
  if (!closed && other->number < fd) return true;           // the other one's row says it all
  const auto room = static_cast<std::size_t>(std::max({option(fd, SO_SNDBUF), option(fd, SO_RCVBUF), 1 << 18}));
  bool passed = false;
  row["type"] = option(fd, SO_TYPE);
  row["self"] = describe_end(fd, room, passed);
  if (!closed) row["other"] = describe_end(other->number, room, passed);
  if (passed) said.warn(fd, row, "has descriptors on their way: after a restart they do not come");
  return true;
}

int socket_pair_maker::open(const json& row) {
  const int fd = end_of(row);
  fcntl(fd, F_SETFL, row.at("flags").get<int>() & settable_flags);
  return fd;
}

int socket_pair_maker::end_of(const json& row) {
  const std::uint64_t file = row.at("file"), peer = row.at("peer");
  if (const auto made = other_ends_.find(file); made != other_ends_.end()) {
    const int fd = made->second;
    other_ends_.erase(made);
    return fd;
  }
  if (!row.contains("self")) throw descriptor_error("the image has one end only of a socket pair");
  int pair[2];
  if (socketpair(AF_UNIX, row.at("type").get<int>() | SOCK_CLOEXEC, 0, pair) != 0) fail("a socket pair", "cannot be made");
  const int own = spare_.move(pair[0]), other = spare_.move(pair[1]);
  set_options(own, row.at("self").at("options"));
  if (row.contains("other")) set_options(other, row.at("other").at("options"));
  else set_options(other, row.at("self").at("options"));
  send_messages(other, row.at("self"), row);
  if (row.contains("other")) send_messages(own, row.at("other"), row);
  other_ends_[peer] = other;
  return own;
}

socket_pair_maker::~socket_pair_maker() {
  for (const auto& [file, fd] : other_ends_) close(fd);
}

}  // namespace mana::descriptors
