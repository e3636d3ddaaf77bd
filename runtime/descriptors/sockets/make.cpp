#include <runtime/descriptors/sockets/make.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/base/proc_info.hpp>

#include <fcntl.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

using nlohmann::json;

namespace mana::descriptors {

owned_socket& owned_socket::operator=(owned_socket&& other) noexcept {
  if (this == &other) return *this;
  reset();
  fd_ = other.release();
  return *this;
}
int owned_socket::release() noexcept { return std::exchange(fd_, -1); }
void owned_socket::reset() noexcept {
  if (fd_ >= 0) close(release());
}

int socket_maker::open(const json& row) {
  if (!std::exchange(is_made_, true)) make_all();
  const made& s = all_.at(row.at("file"));
  fcntl(s.fd.get(), F_SETFL, row.at("flags").get<int>() & settable_flags);
  return spare_.duplicate(s.fd.get());
}

void socket_maker::read_rows() {
  for (const json* row : rows_) {
    if (row->value("kind", "") != "socket") continue;
    const json& socket = row->at("socket");
    made s{};
    s.row = row;
    s.socket = &socket;
    s.kind = {socket.at("domain"), socket.at("type"), socket.at("protocol")};
    s.state = socket.at("state");
    if (socket.contains("own")) s.own = socket_address::from_json(socket.at("own"));
    if (socket.contains("peer")) s.peer = socket_address::from_json(socket.at("peer"));
    s.other = socket.value("other", std::uint64_t{0});
    all_.emplace(row->at("file").get<std::uint64_t>(), std::move(s));
  }
}

/// Listeners first: sockets that are connected through them need them.
void socket_maker::make_all() {
  read_rows();
  for (const bool gone : {true, false})  // a removed name may belong to another socket now
    for (auto& [file, s] : all_) {
      const bool is_gone = s.own.is_path() && s.socket->at("entry").is_null();
      const bool is_alone =
          s.state == "open" || s.state == "listening" || s.state == "connecting" || s.state == "calling" ||
          (s.state == "connected" && s.kind.is_datagram() && s.kind.type != SOCK_SEQPACKET && mutual(s) == nullptr);
      if (is_gone == gone && is_alone) make_alone(s);
    }
  for (auto& [file, s] : all_) {
    if (s.fd) continue;
    made* const other = s.state == "connected" ? mutual(s) : nullptr;
    if (s.kind.domain == AF_UNIX) make_unix_pair(s, other);
    else if (s.state == "refused") refuse(s);
    else make_tcp(s, other);
  }
  for (auto& [file, s] : all_)
    if (s.state == "calling") call(s);
  take_lent_back();
}

owned_socket socket_maker::new_socket(const socket_kind& kind) const {
  return owned_socket(spare_.move(socket(kind.domain, kind.type | SOCK_CLOEXEC, kind.protocol)));
}

void socket_maker::make_alone(made& s) {
  const int fd = socket(s.kind.domain, s.kind.type | SOCK_CLOEXEC, s.kind.protocol);
  if (fd < 0) fail(s.row->at("path"), "cannot be made again");
  s.fd = owned_socket(spare_.move(fd));
  std::vector<std::string> refused;
  set_options(s.fd.get(), s.socket->at("options"), option_time::early, refused);
  for (const std::string& what : refused) note(s, what + " may not be set here");
  if (s.state != "connecting" && !(s.state == "calling" && s.kind.is_tcp())) bind_again(s);
  if (s.state != "listening") return;
  if (listen(s.fd.get(), s.socket->at("backlog").get<int>()) == 0) return;
  if (s.kind.domain == AF_UNIX) return note(s, "does not listen again");
  fail(s.row->at("path"), "cannot listen again");
}

void socket_maker::bind_again(made& s) {
  if (s.kind.is_internet()) return bind_internet(s);
  if (s.own.is_path()) return bind_path(s);
  if (!s.own.is_named()) return;
  if (bind(s.fd.get(), s.own.get(), s.own.size()) == 0) return;
  const int why = errno;
  sockaddr_ll whole{};  // the kernel reports a shorter name than it accepts
  std::memcpy(&whole, s.own.get(), std::min<std::size_t>(s.own.size(), sizeof whole));
  if (s.kind.domain == AF_PACKET && bind(s.fd.get(), reinterpret_cast<sockaddr*>(&whole), sizeof whole) == 0) return;
  const sa_family_t any = AF_UNIX;  // the kernel chooses a name
  if (s.kind.domain == AF_UNIX) bind(s.fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any);
  if (s.kind.domain == AF_NETLINK) {
    sockaddr_storage other{};  // the groups stay, and the kernel chooses the number
    std::memcpy(&other, s.own.get(), s.own.size());
    std::memset(reinterpret_cast<char*>(&other) + 4, 0, 4);
    if (bind(s.fd.get(), reinterpret_cast<const sockaddr*>(&other), s.own.size()) == 0) return;
  }
  note(s, "cannot have the name " + s.own.words() + " again (" + std::strerror(why) + ")");
}

/// Sockets of the program with the same port, whether they are made yet or not.
std::vector<socket_maker::made*> socket_maker::own_sharers(const made& s) {
  std::vector<made*> found;
  for (auto& [file, other] : all_) {
    const bool is_alike = other.kind.type == s.kind.type && other.kind.protocol == s.kind.protocol;
    if (&other == &s || !other.kind.is_internet() || !is_alike) continue;
    if (other.own.port() == s.own.port()) found.push_back(&other);
  }
  return found;
}

void socket_maker::lend(made& s, int option) {
  const int value = s.fd ? socket_option(s.fd.get(), option) : -1;
  if (value == 0 && set_option(s.fd.get(), SOL_SOCKET, option, 1)) lent_.push_back({s.fd.get(), option, value});
}

void socket_maker::take_lent_back() {
  for (const lent& l : lent_) set_option(l.fd, SOL_SOCKET, l.option, l.value);
  lent_.clear();
}

/// The program permits its own sockets to share a port when it binds them, and may have withdrawn that since. Ended
/// connections that the kernel still holds permit it by the same options.
bool socket_maker::bind_beside_own(made& s) {
  if (errno != EADDRINUSE || s.own.port() == 0) return false;
  std::vector<made*> all = own_sharers(s);
  const bool shared_evenly = std::any_of(all.begin(), all.end(), [&](const made* other) {
    return had_option(other->socket->at("options"), SOL_SOCKET, SO_REUSEPORT) ||
           (other->state == "listening" && s.state == "listening");
  });
  const auto is_made = [](const made* other) { return static_cast<bool>(other->fd); };
  const bool any_made = std::any_of(all.begin(), all.end(), is_made);
  if (!shared_evenly && !any_made) return false;
  all.push_back(&s);
  const int first = shared_evenly ? SO_REUSEPORT : SO_REUSEADDR;
  for (const int option : {first, SO_REUSEPORT}) {
    for (made* const one : all) lend(*one, option);
    if (bind(s.fd.get(), s.own.get(), s.own.size()) == 0) return true;
  }
  errno = EADDRINUSE;
  return false;
}

void socket_maker::bind_internet(made& s) {
  if (s.own.port() == 0 && s.own.is_any()) return;
  if (bind(s.fd.get(), s.own.get(), s.own.size()) == 0 || bind_beside_own(s)) return;
  // A job that was killed a moment ago may have left connections that hold the address. A listener need not wait for
  // them.
  const int reuse = socket_option(s.fd.get(), SO_REUSEADDR), why = errno;
  set_option(s.fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  const bool bound = bind(s.fd.get(), s.own.get(), s.own.size()) == 0;
  const socket_address free = s.own.with_port(0);
  const bool elsewhere = !bound && bind(s.fd.get(), free.get(), free.size()) == 0;
  set_option(s.fd.get(), SOL_SOCKET, SO_REUSEADDR, reuse);
  if (bound) return;
  note(s, "cannot have the address " + s.own.words() + " again (" + std::strerror(why) + "); it has " +
              (elsewhere ? socket_address::of(s.fd.get()).words() : "none"));
}

/// True: the path is free. Removes a socket that an ended job left there, but not a socket that a process has open.
bool socket_maker::make_way(const std::string& path) const {
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0) return true;
  if (!S_ISSOCK(there.st_mode)) return false;
  const socket_address name = socket_address::in_unix(path);
  const owned_socket asking(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const bool is_left = connect(asking.get(), name.get(), name.size()) != 0 && errno == ECONNREFUSED;
  return is_left && unlink(path.c_str()) == 0;
}

void socket_maker::bind_path(made& s) {
  const std::string path = s.own.unix_name();
  if (!make_way(path) || bind(s.fd.get(), s.own.get(), s.own.size()) != 0) {
    const std::string why = std::strerror(errno == 0 ? EADDRINUSE : errno);
    const sa_family_t any = AF_UNIX;
    bind(s.fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any);
    return note(s, "cannot have the name " + path + " again (" + why + ")");
  }
  s.entry = owned_socket(spare_.move(::open(path.c_str(), O_PATH | O_CLOEXEC)));
  finish_entry(s);
}

void socket_maker::finish_entry(const made& s) const {
  const std::string path = s.own.unix_name();
  const json& entry = s.socket->at("entry");
  if (entry.is_null()) {
    unlink(path.c_str());
    return;
  }
  if (lchown(path.c_str(), entry.at("user").get<uid_t>(), entry.at("group").get<gid_t>()) != 0) errno = 0;  // if permitted
  chmod(path.c_str(), entry.at("mode").get<mode_t>());
}

void socket_maker::note(const made& s, const std::string& what) {
  notes_.push_back("descriptor " + std::to_string(s.row->value("fd", -1)) + " (a socket) " + what);
}

}  // namespace mana::descriptors
