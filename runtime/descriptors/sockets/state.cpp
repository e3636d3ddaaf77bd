// The state of a socket. A restart makes each of these states again.
//   open         neither connected nor listening; it may have a name
//   listening
//   connected    "other" is the other end, in this process; of datagrams also: "peer" is the receiver
//   calling      a listener of this process has the connection, and has not accepted it
//   connecting   it has called, and nobody has answered
//   left         the other end was closed; its data is in the queue
//   ended        both directions are closed
//   reset        the other end has reset the connection, or will have; the program sees the error once
//   refused      nobody listened
#include <runtime/descriptors/sockets/describe.hpp>
#include <runtime/descriptors/sockets/queue.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

using nlohmann::json;

namespace mana::descriptors {

namespace {

std::optional<tcp_info> tcp_of(int fd) {
  tcp_info info{};
  socklen_t n = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0) return std::nullopt;
  return info;
}

bool listens(int fd) noexcept { return socket_option(fd, SO_ACCEPTCONN) == 1; }
bool has_error(int fd) noexcept { return (events_at(fd) & POLLERR) != 0; }

}  // namespace

std::string socket_describer::describe_state(known& s, json& row, json& socket, report& said) {
  if (s.kind.is_tcp() && listens(s.fd)) {
    const auto info = tcp_of(s.fd);
    socket["backlog"] = info ? static_cast<int>(info->tcpi_sacked) : SOMAXCONN;
    const auto own_callers = std::count_if(known_.begin(), known_.end(), [&](const auto& entry) {
      const known& c = entry.second;
      return c.kind.is_tcp() && c.tcp_state != TCP_LISTEN && c.peer.port() == s.own.port() && other_end(c) == nullptr;
    });
    if (info && info->tcpi_unacked > own_callers) warn_of_callers(s, row, said);
    return "listening";
  }
  if (s.kind.is_tcp()) return state_in_tcp(s, row, said);
  if (s.kind.domain != AF_UNIX) return s.peer.is_named() && s.kind.domain != AF_PACKET ? "connected" : "open";
  if (listens(s.fd)) {
    socket["backlog"] = s.has_facts ? s.facts.backlog : SOMAXCONN;
    const bool all_known = std::all_of(s.facts.waiting.begin(), s.facts.waiting.end(), [&](std::uint64_t inode) {
      return std::any_of(known_.begin(), known_.end(), [&](const auto& entry) { return entry.second.inode == inode; });
    });
    if (!all_known) warn_of_callers(s, row, said);
    return "listening";
  }
  if (!s.has_facts) return state_without_tables(s, row, said);
  return s.kind.type == SOCK_DGRAM ? state_of_datagrams(s, row, said) : state_in_unix(s, row, said);
}

void socket_describer::warn_of_callers(const known& s, const json& row, report& said) {
  said.warn(s.fd, row,
            "has connections that are not accepted yet, of other processes or of closed sockets: after a restart they "
            "are lost");
}

/// The kernel does not tell the other end: another process has it, or nobody.
std::string socket_describer::outside(const known& s, json& row, report& said) const {
  said.warn(s.fd, row,
            "is connected to another process" + (s.peer.is_named() ? " (" + s.peer.words() + ")" : std::string()) +
                ": after a restart the connection is reset");
  return "reset";
}

std::string socket_describer::state_of_closed(const known& s) const {
  if (s.peer.port() == 0) return "open";
  const auto info = tcp_of(s.fd);
  const bool never = !info || info->tcpi_rtt == 0;
  if (has_error(s.fd)) return never ? "refused" : "reset";
  return never ? "open" : "ended";
}

std::string socket_describer::state_in_tcp(known& s, json& row, report& said) {
  if (s.tcp_state == TCP_SYN_SENT) return "connecting";
  const known* const other = other_end(s);
  if (s.tcp_state == TCP_CLOSE) {
    const std::string closed = state_of_closed(s);
    return closed == "ended" && other != nullptr && other->tcp_state == TCP_CLOSE ? "connected" : closed;
  }
  if (other != nullptr) return "connected";
  const auto side = tables_.side_of_tcp(s.peer.place(), s.own.place());
  const bool calls_itself = std::any_of(known_.begin(), known_.end(), [&](const auto& entry) {
    return entry.second.tcp_state == TCP_LISTEN && entry.second.own.port() == s.peer.port();
  });
  if (side && side->waits && !calls_itself) return outside(s, row, said);
  if (side && side->waits && side->unread == 0 && unsent_at(s.fd) == 0) return "calling";
  if (side && side->waits) {
    said.warn(s.fd, row,
              "has sent data to a connection that is not accepted yet, and the data cannot be read: after a restart "
              "the connection is reset");
    return "reset";
  }
  const bool left = s.tcp_state == TCP_CLOSE_WAIT || s.tcp_state == TCP_LAST_ACK;
  if (left && !(side && side->is_open)) return "left";
  if (side && !side->is_open) return "left";  // closed, and nobody will read this end's bytes
  return outside(s, row, said);
}

std::string socket_describer::state_in_unix(known& s, json& row, report& said) {
  if (!s.facts.has_peer) return "open";
  if (other_end(s) != nullptr) return "connected";
  if (waiting_.contains(s.inode)) {
    if (unsent_at(s.fd) == 0) return "calling";
    said.warn(s.fd, row,
              "has sent data to a connection that is not accepted yet, and the data cannot be read: after a restart "
              "the connection is reset");
    return "reset";
  }
  if (s.facts.peer == 0 && s.facts.shutdown == 3) return has_error(s.fd) ? "reset" : "left";
  return outside(s, row, said);
}

std::string socket_describer::state_of_datagrams(const known& s, json& row, report& said) const {
  if (!s.facts.has_peer) return "open";
  if (other_end(s) != nullptr) return "connected";
  if (s.facts.peer == 0) return "left";
  if (s.peer.is_named()) return "connected";  // by its name again, for example a system's log
  said.warn(s.fd, row,
            "sends to a socket of another process without a name: after a restart that socket is closed");
  return "left";
}

std::string socket_describer::state_without_tables(known& s, json& row, report& said) const {
  if (other_end(s) != nullptr) return "connected";
  if (s.told_peer == 0 && !s.peer.is_named()) {
    sockaddr_storage name{};
    socklen_t n = sizeof name;
    if (getpeername(s.fd, reinterpret_cast<sockaddr*>(&name), &n) != 0) return "open";
  }
  if (s.told_peer != 0 && (events_at(s.fd) & POLLHUP) != 0) return has_error(s.fd) ? "reset" : "left";
  return s.kind.type == SOCK_DGRAM && s.peer.is_named() ? "connected" : outside(s, row, said);
}

}  // namespace mana::descriptors
