// Connections are made by connect and accept, as the program made them. TCP_REPAIR could put a connection into any
// state at once, but it takes a privilege (CAP_NET_ADMIN) that programs of a cluster do not have.
#include <runtime/descriptors/sockets/make.hpp>

#include <runtime/descriptors/base/failure.hpp>

#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int no_port_yet = 24, port_range = 51;  // IP_BIND_ADDRESS_NO_PORT, IP_LOCAL_PORT_RANGE

/// The next connection from `caller` at one of these listeners. Connections of strangers are closed.
owned_socket accept_from(const std::vector<int>& listeners, const std::string& caller) {
  std::vector<pollfd> asked;
  for (const int fd : listeners) asked.push_back({fd, POLLIN, 0});
  while (poll(asked.data(), asked.size(), socket_event_limit_ms) > 0)
    for (const pollfd& one : asked) {
      if ((one.revents & POLLIN) == 0) continue;
      owned_socket got(accept4(one.fd, nullptr, nullptr, SOCK_CLOEXEC));
      if (got && (caller.empty() || socket_address::of_peer(got.get()).place() == caller)) return got;
    }
  return {};
}

/// Whether the port is in the kernel's own range. A socket's range (IP_LOCAL_PORT_RANGE) counts only within that range.
bool kernel_chooses(unsigned port) {
  unsigned first = 0, last = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first >> last;
  return first <= port && port <= last;
}

bool connects(int fd, const socket_address& to) { return connect(fd, to.get(), to.size()) == 0; }

socket_address loopback_like(const socket_address& own) {
  if (own.family() == AF_INET) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return {&four, sizeof four};
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  if (own.place().starts_with("::ffff:")) six.sin6_addr = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}}};
  return {&six, sizeof six};
}

}  // namespace

socket_maker::made* socket_maker::mutual(made& s) {
  const auto found = all_.find(s.other);
  if (s.other == 0 || found == all_.end()) return nullptr;
  made& other = found->second;
  const bool each = other.other == s.row->at("file").get<std::uint64_t>() && other.state == "connected";
  return each && &other != &s ? &other : nullptr;
}

/// A stream has the name of the listener that it came from; a datagram socket has its own.
void socket_maker::make_unix_pair(made& s, made* other) {
  const bool by_name = s.kind.type != SOCK_DGRAM && other != nullptr && (s.own.is_named() || other->own.is_named());
  if (by_name) {
    const bool s_serves =
        s.own.is_named() && (!other->own.is_named() || listener_of_name(s.own, s.kind.type) != nullptr);
    return s_serves ? make_named_pair(s, *other) : make_named_pair(*other, s);
  }
  int pair[2];
  if (socketpair(AF_UNIX, s.kind.type | SOCK_CLOEXEC, 0, pair) != 0) fail("a socket pair", "cannot be made");
  s.fd = owned_socket(spare_.move(pair[0]));
  owned_socket& far = other != nullptr ? other->fd : s.stand_in;
  far = owned_socket(spare_.move(pair[1]));
  s.in_pair = true;
  std::vector<std::string> refused;
  set_options(s.fd.get(), s.socket->at("options"), option_time::early, refused);
  if (s.own.is_named()) bind_again(s);
  if (other == nullptr) return set_options(far.get(), s.socket->at("options"), option_time::early, refused);
  other->in_pair = true;
  set_options(far.get(), other->socket->at("options"), option_time::early, refused);
  if (other->own.is_named()) bind_again(*other);
}

socket_maker::made* socket_maker::listener_of_name(const socket_address& name, int type) {
  for (auto& [file, l] : all_)
    if (l.state == "listening" && l.kind.domain == AF_UNIX && l.kind.type == type && l.own == name && l.fd) return &l;
  return nullptr;
}

bool socket_maker::call_place_of(int fd, const made& listener) const {
  if (!listener.entry) return connects(fd, socket_address::of(listener.fd.get()));
  return connects(fd, socket_address::in_unix("/proc/self/fd/" + std::to_string(listener.entry.get())));
}

void socket_maker::make_named_pair(made& server, made& caller) {
  caller.fd = new_socket(caller.kind);
  caller.in_pair = server.in_pair = true;
  std::vector<std::string> refused;
  set_options(caller.fd.get(), caller.socket->at("options"), option_time::early, refused);
  if (caller.own.is_named()) bind_again(caller);
  made* listener = listener_of_name(server.own, server.kind.type);
  made gone{};  // the listener was closed; its name may still exist
  if (listener == nullptr) {
    gone.row = server.row;
    gone.socket = server.socket;
    gone.kind = server.kind;
    gone.own = server.own;
    gone.fd = new_socket(server.kind);
    bind_again(gone);
    listen(gone.fd.get(), 1);
    listener = &gone;
  }
  if (!call_place_of(caller.fd.get(), *listener)) fail(server.row->at("path"), "cannot be connected again");
  server.fd = owned_socket(spare_.move(accept_from({listener->fd.get()}, {}).release()));
  set_options(server.fd.get(), server.socket->at("options"), option_time::early, refused);
}

/// Calls the listener, which does not accept the connection.
void socket_maker::call(made& s) {
  bool called = false;
  if (s.kind.is_tcp()) {
    owned_socket none;
    made anybody{};
    anybody.row = s.row;
    anybody.own = s.peer;
    connect_tcp(anybody, none, s, s.fd);
    called = tcp_state_of(s.fd.get()) == 1;
  } else if (const made* listener = listener_of_name(s.peer, s.kind.type)) {
    called = call_place_of(s.fd.get(), *listener);
  }
  if (!called) note(s, "was connecting to a listener that no longer exists: it is not connected");
}

std::vector<int> socket_maker::listeners_at(const socket_address& place) const {
  std::vector<int> found;
  for (const auto& [file, l] : all_) {
    if (l.state != "listening" || !l.kind.is_tcp() || !l.fd || l.own.port() != place.port()) continue;
    if (l.own.is_any() || l.own.place() == place.place()) found.push_back(l.fd.get());
  }
  return found;
}

/// Listens for one connection: at the place, or at another port there, or at the loopback address.
owned_socket socket_maker::listen_at(const made& server, const socket_address& place) {
  owned_socket fd = new_socket({place.family(), SOCK_STREAM, IPPROTO_TCP});
  set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (server.socket != nullptr && socket_option(server.fd.get(), SO_REUSEPORT) == 1)
    set_option(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
  for (const socket_address& at : {place, place.with_port(0), loopback_like(place)})
    if (bind(fd.get(), at.get(), at.size()) == 0 && listen(fd.get(), 1) == 0) return fd;
  fail(server.row->at("path"), "cannot be connected again");
}

/// As connect(). If the kernel still holds an earlier connection, its port can be taken over a second after the end.
/// Nothing reports that moment. All such connections ended together, so the wait is one for all.
bool socket_maker::connects_when_left(int fd, const socket_address& to) {
  constexpr std::chrono::milliseconds longest{1500};
  constexpr int pause_ms = 50;
  const auto now = std::chrono::steady_clock::now;
  while (!connects(fd, to)) {
    if (errno != EADDRNOTAVAIL) return false;
    if (taken_over_by_ == std::chrono::steady_clock::time_point()) taken_over_by_ = now() + longest;
    if (now() > taken_over_by_) return false;
    poll(nullptr, 0, pause_ms);
  }
  return true;
}

/// The caller's port is free, unless the job that had it ended a moment ago: the kernel then keeps the connection for a
/// minute. The kernel gives a port of its own range again, one second after the end. A port that the program chose by
/// bind() is taken by SO_REUSEADDR. If neither works, the connection gets another port.
void socket_maker::connect_tcp(made& server, owned_socket& accepted, made& caller, owned_socket& calling) {
  std::vector<int> listeners = listeners_at(server.own);
  owned_socket own_listener;
  socket_address to = caller.peer.port() != 0 ? caller.peer : server.own;
  if (listeners.empty()) {
    own_listener = listen_at(server, server.own);
    listeners = {own_listener.get()};
    const socket_address listens = socket_address::of(own_listener.get());
    to = listens.with_port(0).place() == server.own.with_port(0).place() ? to.with_port(listens.port()) : listens;
  }
  const unsigned port = caller.own.port();
  for (const int way : {0, 1, 2}) {
    calling = new_socket({to.family(), SOCK_STREAM, IPPROTO_TCP});
    const int fd = calling.get();
    if (way < 2 && port == 0) continue;
    const socket_address from = way == 0 ? caller.own.with_port(0) : caller.own;
    if (way == 0) {
      if (!kernel_chooses(port) || !set_option(fd, IPPROTO_IP, port_range, static_cast<int>(port | port << 16)))
        continue;
      set_option(fd, IPPROTO_IP, no_port_yet, 1);
    }
    if (way == 1) set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (way < 2 && bind(fd, from.get(), from.size()) != 0) continue;
    if (way == 0 ? !connects_when_left(fd, to) : !connects(fd, to)) continue;
    set_option(fd, IPPROTO_IP, port_range, 0);
    set_option(fd, IPPROTO_IP, no_port_yet, 0);
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 0);
    if (caller.state == "calling") return;
    accepted = owned_socket(spare_.move(accept_from(listeners, socket_address::of(fd).place()).release()));
    return;
  }
  fail(server.row->at("path"), "cannot be connected again");
}

void socket_maker::make_tcp(made& s, made* other) {
  made stand_in{};
  made& far = other != nullptr ? *other : stand_in;
  if (other == nullptr) {
    stand_in.row = s.row;
    stand_in.own = s.peer.port() != 0 ? s.peer : loopback_like(s.own);
    stand_in.peer = s.own;
  }
  const bool serves = !listeners_at(s.own).empty();
  owned_socket own_fd, far_fd;
  if (serves) connect_tcp(s, own_fd, far, far_fd);
  else connect_tcp(far, far_fd, s, own_fd);
  std::vector<std::string> refused;
  s.fd = std::move(own_fd);
  set_options(s.fd.get(), s.socket->at("options"), option_time::early, refused);
  if (other == nullptr) {
    s.stand_in = std::move(far_fd);
    return;
  }
  other->fd = std::move(far_fd);
  set_options(other->fd.get(), other->socket->at("options"), option_time::early, refused);
  if (socket_address::of(s.fd.get()).place() != s.own.place() ||
      socket_address::of(other->fd.get()).place() != other->own.place())
    note(s, "is connected with other ports than before (" + socket_address::of(s.fd.get()).words() +
                "), which are in use");
}

void socket_maker::refuse(made& s) const {
  s.fd = new_socket(s.kind);
  const owned_socket nobody = new_socket(s.kind);  // has a port, and does not listen
  const socket_address place = loopback_like(s.own);
  bind(nobody.get(), place.get(), place.size());
  connects(s.fd.get(), socket_address::of(nobody.get()));
}

}  // namespace mana::descriptors
