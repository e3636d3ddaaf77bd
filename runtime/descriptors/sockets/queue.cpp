#include <runtime/descriptors/sockets/queue.hpp>

#include <runtime/descriptors/sockets/address.hpp>

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int most_files = 253;  // SCM_MAX_FD
constexpr int scm_pidfd = 4;
constexpr int least_room = 1 << 18;

/// While the object exists, MSG_PEEK begins after the bytes already seen. The program's own place is put back.
class looking_onward {
 public:
  explicit looking_onward(int fd) : fd_(fd), before_(socket_option(fd, SO_PEEK_OFF)) { move_to(0); }
  ~looking_onward() { set_option(fd_, SOL_SOCKET, SO_PEEK_OFF, before_); }
  looking_onward(const looking_onward&) = delete;
  looking_onward& operator=(const looking_onward&) = delete;
  /// False: this kernel does not support it for this kind of socket, so that a look shows the front only.
  bool move_to(int offset) const { return set_option(fd_, SOL_SOCKET, SO_PEEK_OFF, offset); }

 private:
  int fd_, before_;
};

struct looked {
  ssize_t n = -1;
  std::vector<int> files;
  socket_address from;
  bool cut = false;
};

std::vector<int> files_in(msghdr& message) {
  std::vector<int> found;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || (c->cmsg_type != SCM_RIGHTS && c->cmsg_type != scm_pidfd)) continue;
    for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= c->cmsg_len; at += sizeof(int)) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
      if (c->cmsg_type == SCM_RIGHTS) found.push_back(fd);
      else if (fd >= 0) close(fd);
    }
  }
  return found;
}

looked look(int fd, std::uint8_t* bytes, std::size_t room) {
  alignas(cmsghdr) char control[CMSG_SPACE(most_files * sizeof(int)) + 512];
  sockaddr_storage name{};
  iovec part{bytes, room};
  msghdr message{};
  message.msg_name = &name;
  message.msg_namelen = sizeof name;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  looked found;
  found.n = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (found.n < 0) return found;
  found.files = files_in(message);
  found.cut = (message.msg_flags & MSG_CTRUNC) != 0;
  found.from = {&name, std::min<socklen_t>(message.msg_namelen, sizeof name)};
  return found;
}

json as_message(const std::uint8_t* bytes, std::size_t n) { return {{"bytes", json::binary({bytes, bytes + n})}}; }

void add_files(json& message, const looked& part, const take_passed& take) {
  for (const int file : part.files) message["files"].push_back(take(file));
}

int unread_at(int fd) noexcept {
  int n = 0;
  return ioctl(fd, SIOCINQ, &n) == 0 ? n : 0;
}

class stream_reader {
 public:
  stream_reader(int fd, const take_passed& take) : fd_(fd), take_(take), place_(fd) {}

  queue_found read() {
    std::uint8_t urgent = 0;
    const bool is_urgent = recv(fd_, &urgent, 1, MSG_OOB | MSG_PEEK | MSG_DONTWAIT) == 1;
    int at_mark = 0;
    const int all = unread_at(fd_);
    if (is_urgent) ioctl(fd_, SIOCATMARK, &at_mark);
    if (!is_urgent) {
      while (at_ < all && next(all - at_)) {}
      found_.incomplete |= at_ < all;
      return std::move(found_);
    }
    if (at_mark == 0) next(std::max(all, least_room));  // ends at the mark, whatever the room
    json mark = as_message(&urgent, 1);
    mark["urgent"] = true;
    found_.messages.push_back(std::move(mark));
    ++at_;                                                   // SO_PEEK_OFF counts the urgent byte too
    const bool has_error = (events_at(fd_) & POLLERR) != 0;  // a read beyond the last byte would take the error
    found_.incomplete |= has_error || !place_.move_to(at_);
    while (!found_.incomplete && next(least_room)) {}
    return std::move(found_);
  }

 private:
  bool next(int most) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(most));
    looked part = look(fd_, bytes.data(), bytes.size());
    found_.cut_files |= part.cut;
    if (part.n <= 0) return false;
    auto n = static_cast<int>(part.n);
    // A look ends after the bytes that descriptors came with, and does not show where these bytes begin. If the
    // descriptors go with the last byte, a reader of the whole message gets them, and a reader of an earlier message
    // does not.
    const std::size_t last = static_cast<std::size_t>(n) - 1, begin = part.files.empty() ? 0 : last;
    if (begin > 0) found_.messages.push_back(as_message(bytes.data(), begin));
    found_.messages.push_back(as_message(bytes.data() + begin, static_cast<std::size_t>(n) - begin));
    add_files(found_.messages.back(), part, take_);
    at_ += n;
    return place_.move_to(at_);
  }

  int fd_;
  const take_passed& take_;
  looking_onward place_;
  int at_ = 0;
  queue_found found_;
};

/// An empty message at the front is skipped by a look with an offset, once it has been seen.
bool begins_empty(int fd) {
  std::uint8_t byte;
  const int before = socket_option(fd, SO_PEEK_OFF);
  if (before >= 0) set_option(fd, SOL_SOCKET, SO_PEEK_OFF, -1);
  const looked first = look(fd, &byte, 1);
  for (const int file : first.files) close(file);
  if (before >= 0) set_option(fd, SOL_SOCKET, SO_PEEK_OFF, before);
  return first.n == 0;
}

queue_found datagrams_at(int fd, const socket_kind& kind, const take_passed& take) {
  queue_found found;
  const bool may_end = kind.type == SOCK_SEQPACKET || (events_at(fd, POLLRDHUP) & (POLLRDHUP | POLLHUP)) != 0;
  const bool is_empty = (events_at(fd, POLLIN) & POLLIN) == 0;
  if (is_empty) return found;
  const looking_onward place(fd);
  if (!place.move_to(0)) {  // each look would show the front again, forever
    found.incomplete = true;
    return found;
  }
  const bool empty_first = !may_end && begins_empty(fd);
  const auto room = std::max({socket_option(fd, SO_SNDBUF), socket_option(fd, SO_RCVBUF), least_room});
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(room));
  place.move_to(0);
  for (;;) {
    const looked one = look(fd, bytes.data(), bytes.size());
    found.cut_files |= one.cut;
    if (one.n < 0 || (one.n == 0 && (events_at(fd, POLLRDHUP) & (POLLRDHUP | POLLHUP)) != 0)) break;
    if (empty_first && found.messages.empty() && one.n != 0) found.messages.push_back(as_message(bytes.data(), 0));
    json message = as_message(bytes.data(), static_cast<std::size_t>(one.n));
    if (one.from.is_named()) message["from"] = one.from.to_json();
    add_files(message, one, take);
    found.messages.push_back(std::move(message));
  }
  if (empty_first && found.messages.empty()) found.messages.push_back(as_message(bytes.data(), 0));
  return found;
}

}  // namespace

int events_at(int fd, short asked) noexcept {
  pollfd about{fd, asked, 0};
  return poll(&about, 1, 0) == 1 ? about.revents : 0;
}

int unsent_at(int fd) noexcept {
  int n = 0;
  return ioctl(fd, SIOCOUTQ, &n) == 0 ? n : 0;
}

queue_found messages_at(int fd, const socket_kind& kind, const take_passed& take) {
  if (kind.type == SOCK_STREAM) return stream_reader(fd, take).read();
  if ((events_at(fd) & POLLERR) == 0) return datagrams_at(fd, kind, take);
  queue_found not_looked_at;  // a look would take the error
  not_looked_at.incomplete = true;
  return not_looked_at;
}

bool let_bytes_come(int sender, int receiver) {
  constexpr int tries = 400, buffers_locked = 72, receive_locked = 2;
  int left = 0;
  if (ioctl(sender, SIOCOUTQ, &left) != 0 || left == 0) return true;
  const int before = socket_option(receiver, SO_RCVLOWAT), locks = socket_option(receiver, buffers_locked);
  const int room = socket_option(receiver, SO_RCVBUF);
  if (locks > 0) set_option(receiver, SOL_SOCKET, buffers_locked, locks & ~receive_locked);
  // SO_RCVLOWAT makes the kernel give the receiver that much room, and a look tells the sender about the room.
  set_option(receiver, SOL_SOCKET, SO_RCVLOWAT, unread_at(receiver) + left + least_room);
  const looking_onward place(receiver);
  for (int i = 0; i < tries && left > 0; ++i) {
    std::uint8_t byte;
    place.move_to(0);
    recv(receiver, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    poll(nullptr, 0, i == 0 ? 0 : 5);
    ioctl(sender, SIOCOUTQ, &left);
  }
  set_option(receiver, SOL_SOCKET, SO_RCVLOWAT, before);
  if (locks > 0 && (locks & receive_locked) != 0) set_option(receiver, SOL_SOCKET, SO_RCVBUF, room / 2);
  if (locks > 0) set_option(receiver, SOL_SOCKET, buffers_locked, locks);
  return left == 0;
}

}  // namespace mana::descriptors
