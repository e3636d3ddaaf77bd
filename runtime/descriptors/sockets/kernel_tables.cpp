#include <runtime/descriptors/sockets/kernel_tables.hpp>

#include <runtime/descriptors/sockets/address.hpp>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace mana::descriptors {

namespace {

template <class Body>
struct question {
  nlmsghdr head;
  Body body;
};

template <class Value>
Value value_in(const rtattr& attribute) {
  Value value{};
  std::memcpy(&value, RTA_DATA(&attribute), std::min<std::size_t>(sizeof value, RTA_PAYLOAD(&attribute)));
  return value;
}

/// Calls take(attribute) for each attribute after the answer's head.
template <class Body, class Take>
void for_each_attribute(const nlmsghdr& head, Take&& take) {
  auto left = static_cast<int>(head.nlmsg_len - NLMSG_LENGTH(sizeof(Body)));
  const char* const begin = reinterpret_cast<const char*>(&head) + NLMSG_LENGTH(NLMSG_ALIGN(sizeof(Body)));
  for (const auto* a = reinterpret_cast<const rtattr*>(begin); RTA_OK(a, left); a = RTA_NEXT(a, left)) take(*a);
}

/// Sends the question, and calls take(answer) for each answer up to the last. False: an error.
template <class Body, class Take>
bool ask(int fd, const Body& body, int flags, Take&& take) {
  question<Body> sent{{sizeof sent, SOCK_DIAG_BY_FAMILY, static_cast<std::uint16_t>(NLM_F_REQUEST | flags), 1, 0},
                      body};
  if (send(fd, &sent, sizeof sent, 0) != static_cast<ssize_t>(sizeof sent)) return false;
  alignas(nlmsghdr) char got[1 << 15];
  for (;;) {
    const ssize_t n = recv(fd, got, sizeof got, 0);
    if (n <= 0) return false;
    auto left = static_cast<std::size_t>(n);
    for (const auto* m = reinterpret_cast<const nlmsghdr*>(got); NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
      if (m->nlmsg_type == NLMSG_DONE) return true;
      if (m->nlmsg_type == NLMSG_ERROR) return false;
      take(*m);
      if ((flags & NLM_F_DUMP) == 0) return true;
    }
  }
}

unix_facts unix_facts_in(const nlmsghdr& answer) {
  const auto& body = *static_cast<const unix_diag_msg*>(NLMSG_DATA(&answer));
  constexpr int listens = 10;  // TCP_LISTEN, also of Unix sockets
  unix_facts found;
  for_each_attribute<unix_diag_msg>(answer, [&](const rtattr& a) {
    switch (a.rta_type) {
      case UNIX_DIAG_PEER:
        found.has_peer = true;
        found.peer = value_in<std::uint32_t>(a);
        break;
      case UNIX_DIAG_VFS: found.file = value_in<unix_diag_vfs>(a).udiag_vfs_ino; break;
      case UNIX_DIAG_SHUTDOWN: found.shutdown = value_in<std::uint8_t>(a); break;
      case UNIX_DIAG_RQLEN:
        if (body.udiag_state == listens) found.backlog = static_cast<int>(value_in<unix_diag_rqlen>(a).udiag_wqueue);
        break;
      case UNIX_DIAG_ICONS:
        found.waiting.resize(RTA_PAYLOAD(&a) / sizeof(std::uint32_t));
        for (std::size_t i = 0; i < found.waiting.size(); ++i)
          found.waiting[i] = static_cast<const std::uint32_t*>(RTA_DATA(&a))[i];
        break;
      default: break;
    }
  });
  return found;
}

/// One side of a connection, in the table's form.
std::string place_of(const inet_diag_msg& body, const __be32 (&address)[4], __be16 port) {
  if (body.idiag_family == AF_INET) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = port;
    std::memcpy(&four.sin_addr, address, sizeof four.sin_addr);
    return socket_address(&four, sizeof four).place();
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = port;
  std::memcpy(&six.sin6_addr, address, sizeof six.sin6_addr);
  return socket_address(&six, sizeof six).place();
}

}  // namespace

kernel_tables::kernel_tables() : asking_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {}
kernel_tables::~kernel_tables() {
  if (asking_ >= 0) close(asking_);
}

std::optional<unix_facts> kernel_tables::of_unix(std::uint64_t inode) {
  unix_diag_req body{};
  body.sdiag_family = AF_UNIX;
  body.udiag_states = ~0U;
  body.udiag_ino = static_cast<std::uint32_t>(inode);
  body.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_PEER | UDIAG_SHOW_ICONS | UDIAG_SHOW_RQLEN;
  body.udiag_cookie[0] = body.udiag_cookie[1] = ~0U;
  std::optional<unix_facts> found;
  ask(asking_, body, 0, [&](const nlmsghdr& answer) { found = unix_facts_in(answer); });
  return found;
}

void kernel_tables::read_table(int protocol, int family) {
  if (std::exchange(read_[{protocol, family}], true)) return;
  inet_diag_req_v2 body{};
  body.sdiag_family = static_cast<std::uint8_t>(family);
  body.sdiag_protocol = static_cast<std::uint8_t>(protocol);
  body.idiag_states = ~0U;
  ask(asking_, body, NLM_F_DUMP, [&](const nlmsghdr& answer) {
    const auto& row = *static_cast<const inet_diag_msg*>(NLMSG_DATA(&answer));
    for_each_attribute<inet_diag_msg>(answer, [&](const rtattr& a) {
      if (a.rta_type == INET_DIAG_SHUTDOWN) shutdown_[row.idiag_inode] = value_in<std::uint8_t>(a);
    });
    if (protocol != IPPROTO_TCP) return;
    const bool orphan = row.idiag_inode == 0;
    const bool whole = row.idiag_state == TCP_ESTABLISHED || row.idiag_state == TCP_CLOSE_WAIT;
    sides_[{place_of(row, row.id.idiag_src, row.id.idiag_sport), place_of(row, row.id.idiag_dst, row.id.idiag_dport)}] =
        {!orphan, orphan && whole, row.idiag_rqueue};
  });
}

std::optional<int> kernel_tables::shutdown_of_internet(std::uint64_t inode, int protocol, int family) {
  read_table(protocol, family);
  const auto found = shutdown_.find(inode);
  return found == shutdown_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<tcp_side> kernel_tables::side_of_tcp(const std::string& own, const std::string& other) {
  read_table(IPPROTO_TCP, AF_INET);
  read_table(IPPROTO_TCP, AF_INET6);
  const auto found = sides_.find({own, other});
  return found == sides_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace mana::descriptors
