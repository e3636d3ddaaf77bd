// Runs when all descriptors are open. It sends the contents of queues again, with the descriptors that were on their
// way. Then it ends connections, and sets the options that would have been in the way.
#include <runtime/descriptors/sockets/make.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/sockets/groups.hpp>
#include <runtime/descriptors/sockets/queue.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int receiving = 1, sending = 2;

/// Sends a message with its descriptors. out: bytes, or -1
ssize_t send_once(int from, const std::uint8_t* bytes, std::size_t n, const std::vector<int>& files, int flags,
                  const socket_address& to) {
  iovec part{const_cast<std::uint8_t*>(bytes), n};
  msghdr message{};
  std::vector<char> control(files.empty() ? 0 : CMSG_SPACE(files.size() * sizeof(int)));
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_name = to.size() == 0 ? nullptr : const_cast<sockaddr*>(to.get());
  message.msg_namelen = to.size();
  if (!files.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), files.data(), files.size() * sizeof(int));
  }
  return sendmsg(from, &message, flags | MSG_DONTWAIT | MSG_NOSIGNAL);
}

std::vector<int> files_of(const json& message, const std::map<std::uint64_t, int>& files) {
  std::vector<int> found;
  for (const json& file : message.value("files", json::array())) found.push_back(files.at(file.get<std::uint64_t>()));
  return found;
}

/// Sends all of the message: a stream takes what it has room for.
bool send_all(int from, const json& message, const std::map<std::uint64_t, int>& files) {
  const std::vector<std::uint8_t>& bytes = message.at("bytes").get_binary();
  std::vector<int> with = files_of(message, files);
  const int flags = message.value("urgent", false) ? MSG_OOB : 0;
  std::size_t done = 0;
  do {
    const ssize_t n = send_once(from, bytes.data() + done, bytes.size() - done, with, flags, {});
    if (n < 0) {
      pollfd room{from, POLLOUT, 0};
      if (errno != EAGAIN || poll(&room, 1, socket_event_limit_ms) != 1 || (room.revents & (POLLERR | POLLHUP)) != 0) return false;
      continue;
    }
    with.clear();
    done += static_cast<std::size_t>(n);
  } while (done < bytes.size());
  return true;
}

/// While the object exists, a socket holds more bytes in flight than its buffer size.
class wide_queue {
 public:
  wide_queue(int from, int to, bool is_tcp, std::size_t bytes)
      : from_(from), to_(to), lowat_(socket_option(to, SO_RCVLOWAT)) {
    constexpr int largest = 1 << 23;
    const auto wanted = static_cast<int>(std::min<std::size_t>(largest, 2 * bytes + (1 << 16)));
    if (is_tcp) {
      set_option(to_, SOL_SOCKET, SO_RCVLOWAT, wanted);  // does not fix the buffer's size, as SO_RCVBUF would
      return;
    }
    widen(from_, SO_SNDBUF, SO_SNDBUFFORCE, wanted, send_);
    widen(to_, SO_RCVBUF, SO_RCVBUFFORCE, wanted, receive_);
  }
  ~wide_queue() {
    set_option(to_, SOL_SOCKET, SO_RCVLOWAT, lowat_);
    narrow(from_, SO_SNDBUF, send_);
    narrow(to_, SO_RCVBUF, receive_);
    if (locks_of_from_ >= 0) set_option(from_, SOL_SOCKET, buffers_locked, locks_of_from_);
    if (locks_of_to_ >= 0) set_option(to_, SOL_SOCKET, buffers_locked, locks_of_to_);
  }
  wide_queue(const wide_queue&) = delete;
  wide_queue& operator=(const wide_queue&) = delete;

 private:
  static constexpr int buffers_locked = 72;  // SO_BUF_LOCK

  static void widen(int fd, int name, int forced, int wanted, int& before) {
    const int now = socket_option(fd, name);
    if (now >= wanted) return;
    before = now;
    if (!set_option(fd, SOL_SOCKET, forced, wanted)) set_option(fd, SOL_SOCKET, name, wanted);
  }
  static void narrow(int fd, int name, int before) {
    if (before > 0) set_option(fd, SOL_SOCKET, name, before / 2);
  }

  int from_, to_, lowat_;
  int send_ = 0, receive_ = 0;
  int locks_of_from_ = socket_option(from_, buffers_locked), locks_of_to_ = socket_option(to_, buffers_locked);
};

std::size_t bytes_in(const json& messages) {
  std::size_t all = 0;
  for (const json& message : messages) all += message.at("bytes").get_binary().size() + 1024;
  return all;
}

/// The address that a datagram reaches. If the socket has no address of its own, the sender's host is used.
socket_address reached_at(const socket_address& own, const socket_address& from) {
  return own.is_any() && from.port() != 0 && from.family() == own.family() ? from.with_port(own.port()) : own;
}

}  // namespace

void socket_maker::finish(const std::map<std::uint64_t, int>& files) {
  for (auto& [file, s] : all_) fill(s, files);
  for (auto& [file, s] : all_) connect_datagrams(s);
  for (auto& [file, s] : all_) end_stand_in(s);
  for (auto& [file, s] : all_) {
    const int shut = s.socket->at("shutdown").get<int>() & (receiving | sending);
    if (s.state != "listening" && (shut & sending) != 0) shutdown(s.fd.get(), SHUT_WR);
    if (s.state != "listening" && (shut & receiving) != 0) shutdown(s.fd.get(), SHUT_RD);
  }
  for (auto& [file, s] : all_) set_the_rest(s);
  all_.clear();
  senders_.clear();
}

void socket_maker::fill(made& s, const std::map<std::uint64_t, int>& files) {
  const json& messages = s.socket->at("messages");
  if (messages.empty()) return;
  if (s.kind.type == SOCK_DGRAM) return fill_datagrams(s, files);
  made* const other = mutual(s);
  const int from = s.stand_in ? s.stand_in.get() : other != nullptr ? other->fd.get() : -1;
  const wide_queue room(from, s.fd.get(), s.kind.is_tcp(), bytes_in(messages));
  for (const json& message : messages)
    if (!send_all(from, message, files))
      fail(s.row->at("path"), "what was on its way in this socket cannot be sent again");
}

/// A descriptor to send the message by; -1: no socket can have the sender's name here.
int socket_maker::sender_from(const json& message, const made& to) {
  if (to.in_pair) return to.stand_in ? to.stand_in.get() : all_.at(to.other).fd.get();
  const socket_address from =
      message.contains("from") ? socket_address::from_json(message.at("from")) : socket_address();
  for (const auto& [file, s] : all_)
    if (from.is_named() && s.kind.domain == to.kind.domain && s.kind.type == to.kind.type && s.own == from && s.fd)
      return s.fd.get();
  owned_socket& made_for = senders_[from.words()];
  if (made_for) return made_for.get();
  owned_socket fresh = new_socket(to.kind);
  if (!from.is_named()) return (made_for = std::move(fresh)).get();
  struct stat before {};
  const bool was_there = from.is_path() && lstat(from.unix_name().c_str(), &before) == 0;
  if (to.kind.is_internet()) set_option(fresh.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (from.is_path() && !make_way(from.unix_name())) return -1;
  if (bind(fresh.get(), from.get(), from.size()) != 0) return -1;
  if (from.is_path() && !was_there) unlink(from.unix_name().c_str());
  return (made_for = std::move(fresh)).get();
}

void socket_maker::fill_datagrams(made& s, const std::map<std::uint64_t, int>& files) {
  const json& messages = s.socket->at("messages");
  std::size_t lost = 0;
  for (const json& message : messages) {
    const int from = sender_from(message, s);
    const std::vector<std::uint8_t>& bytes = message.at("bytes").get_binary();
    socket_address to = s.in_pair ? socket_address() : socket_address::of(s.fd.get());
    if (s.kind.is_internet() && message.contains("from"))
      to = reached_at(to, socket_address::from_json(message.at("from")));
    if (s.entry) to = socket_address::in_unix("/proc/self/fd/" + std::to_string(s.entry.get()));
    bool sent = false;
    if (from >= 0) {
      const wide_queue room(from, s.fd.get(), false, bytes_in(messages));
      sent = send_once(from, bytes.data(), bytes.size(), files_of(message, files), 0, to) ==
             static_cast<ssize_t>(bytes.size());
    }
    lost += !sent;
  }
  if (lost > 0)
    note(s, "has lost " + std::to_string(lost) + " datagrams, of senders whose addresses no socket can have here");
}

/// Comes after all sends: a connected datagram socket takes messages of its peer alone.
void socket_maker::connect_datagrams(made& s) {
  const bool to_somebody = s.state == "connected" && s.kind.is_datagram() && s.kind.type != SOCK_SEQPACKET;
  if (!to_somebody || s.in_pair) return;
  const auto other = all_.find(s.other);
  if (s.kind.domain == AF_UNIX && s.other != 0 && other != all_.end()) {
    if (!call_place_of(s.fd.get(), other->second))
      note(s, "cannot be connected again: " + std::string(std::strerror(errno)));
    return;
  }
  if (connect(s.fd.get(), s.peer.get(), s.peer.size()) != 0)
    note(s, "cannot be connected to " + s.peer.words() + " again: " + std::strerror(errno));
}

void socket_maker::end_stand_in(made& s) {
  if (s.state == "ended") shutdown(s.fd.get(), SHUT_WR);
  if (s.state == "reset" && s.kind.is_tcp()) {
    const linger at_once{1, 0};
    setsockopt(s.stand_in.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  } else if (s.state == "reset") {
    send(s.fd.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);  // a close with unread data resets the connection
  }
  s.stand_in.reset();
}

void socket_maker::set_the_rest(made& s) {
  std::vector<std::string> refused;
  set_options(s.fd.get(), s.socket->at("options"), option_time::late, refused);
  for (const std::string& what : refused) note(s, what + " may not be set here");
  for (const std::string& group : join_groups(s.fd.get(), *s.socket)) note(s, "cannot be in " + group + " again");
  attach_filter(s.fd.get(), *s.socket);
  if (s.state == "connecting") connect_onward(s);
}

void socket_maker::connect_onward(made& s) const {
  const int flags = fcntl(s.fd.get(), F_GETFL);
  fcntl(s.fd.get(), F_SETFL, flags | O_NONBLOCK);
  connect(s.fd.get(), s.peer.get(), s.peer.size());
  fcntl(s.fd.get(), F_SETFL, flags);
}

}  // namespace mana::descriptors
