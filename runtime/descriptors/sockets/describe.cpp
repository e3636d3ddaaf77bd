#include <runtime/descriptors/sockets/describe.hpp>

#include <runtime/descriptors/base/proc_info.hpp>
#include <runtime/descriptors/sockets/groups.hpp>
#include <runtime/descriptors/sockets/queue.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int no_receiving = 1, no_sending = 2, both = 3;

/// Families that a restart can make. About other families the kernel tells too little.
bool is_known_family(const socket_kind& kind) noexcept {
  return kind.domain == AF_UNIX || kind.domain == AF_NETLINK || kind.domain == AF_PACKET ||
         (kind.is_internet() && (kind.is_tcp() || kind.type == SOCK_DGRAM || kind.type == SOCK_RAW));
}

/// The entry of a socket's name in its file system now.
json entry_of(const socket_address& name, std::uint64_t inode) {
  struct stat s {};
  const bool there =
      lstat(name.unix_name().c_str(), &s) == 0 && S_ISSOCK(s.st_mode) && (inode == 0 || s.st_ino == inode);
  if (!there) return nullptr;
  return {{"mode", s.st_mode & 07777}, {"user", s.st_uid}, {"group", s.st_gid}};
}

constexpr int name_of_upper = 31;  // TCP_ULP

/// For example TLS in the kernel.
std::string upper_protocol(int fd, const socket_kind& kind) {
  char name[16] = "";
  socklen_t n = sizeof name - 1;
  return kind.is_tcp() && getsockopt(fd, IPPROTO_TCP, name_of_upper, name, &n) == 0 ? name : "";
}

/// An error that ended a connection is a state of its own, not an unread error.
bool has_error_unread(int fd, const socket_kind& kind, const std::string& state) {
  const bool is_told = state == "reset" || state == "refused" || state == "ended" || state == "left" || state == "connecting";
  return kind.is_internet() && !is_told && (events_at(fd) & POLLERR) != 0;
}

}  // namespace

socket_describer::socket_describer(std::vector<owned_descriptor>& all) : all_(all) {
  for (const owned_descriptor& d : all_) next_file_ = std::max({next_file_, d.file + 1, d.peer + 1});
  for (std::size_t i = 0; i < all_.size(); ++i) {  // all_ grows by descriptors on their way
    const owned_descriptor d = all_[i];
    add(d);
  }
  for (auto& [file, s] : known_) {
    const known* const sender = s.kind.is_tcp() ? other_end(s) : nullptr;
    if (sender != nullptr) s.incomplete = !let_bytes_come(sender->fd, s.fd);
    if (s.kind.domain != AF_UNIX) read_queue(s);
  }
}

socket_describer::~socket_describer() {
  for (const int fd : passed_) close(fd);
}

void socket_describer::add(const owned_descriptor& d) {
  struct stat s {};
  if (d.standard >= 0 || known_.contains(d.file) || fstat(d.number, &s) != 0 || !S_ISSOCK(s.st_mode)) return;
  if ((fcntl(d.number, F_GETFL) & O_PATH) != 0 || (d.inherited && !is_passed(d.number))) return;
  known k{};
  k.fd = d.number;
  k.file = d.file;
  k.inode = s.st_ino;
  k.told_peer = d.peer;
  k.kind = kind_of_socket(d.number);
  k.own = socket_address::of(d.number);
  k.peer = socket_address::of_peer(d.number);
  if (k.kind.is_tcp()) k.tcp_state = tcp_state_of(d.number);
  if (k.kind.domain == AF_UNIX) {
    const auto facts = tables_.of_unix(k.inode);
    k.has_facts = facts.has_value();
    k.facts = facts.value_or(unix_facts{});
    waiting_.insert(k.facts.waiting.begin(), k.facts.waiting.end());
  }
  known& added = known_[d.file] = std::move(k);
  if (added.kind.domain == AF_UNIX) read_queue(added);
}

void socket_describer::read_queue(known& s) {
  s.messages = json::array();
  if (socket_option(s.fd, SO_ACCEPTCONN) == 1) return;
  queue_found found = messages_at(s.fd, s.kind, [this](int fd) { return take_passed(fd); });
  s.messages = std::move(found.messages);
  s.incomplete |= found.incomplete;
  s.cut_files = found.cut_files;
}

std::uint64_t socket_describer::take_passed(int fd) {
  for (const owned_descriptor& d : all_)
    if (same_open_file(d.number, fd)) {
      close(fd);
      return d.file;
    }
  passed_.insert(fd);
  all_.push_back({fd, next_file_++, -1, false});
  return all_.back().file;
}

const socket_describer::known* socket_describer::other_end(const known& s) const {
  const auto is_other = [&](const known& o) {
    if (o.file == s.file || o.kind.type != s.kind.type) return false;
    if (s.kind.domain == AF_UNIX) {
      if (o.kind.domain != AF_UNIX) return false;
      return s.has_facts ? s.facts.has_peer && s.facts.peer != 0 && s.facts.peer == o.inode
                         : s.told_peer != 0 && s.told_peer == o.file;
    }
    return s.kind.is_tcp() && o.kind.is_tcp() && s.tcp_state != TCP_LISTEN && o.tcp_state != TCP_LISTEN &&
           s.peer.port() != 0 && s.peer.place() == o.own.place() && o.peer.place() == s.own.place();
  };
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const auto& entry) { return is_other(entry.second); });
  return found == known_.end() ? nullptr : &found->second;
}

bool socket_describer::describe(const owned_descriptor& own, json& row, report& said) {
  const auto found = known_.find(own.file);
  if (found == known_.end() || !is_known_family(found->second.kind)) return false;
  known& s = found->second;
  json socket = {{"domain", s.kind.domain}, {"type", s.kind.type}, {"protocol", s.kind.protocol}};
  row["kind"] = "socket";
  socket["options"] = options_of(s.fd, s.kind);
  describe_filter(s.fd, row, socket, said);
  describe_groups(s.fd, s.kind, socket);
  if (const known* other = other_end(s)) socket["other"] = other->file;
  socket["state"] = describe_state(s, row, socket, said);
  const bool is_closed = s.tcp_state == TCP_CLOSE;  // such a socket is in no table
  const std::string state = socket.at("state");
  socket["shutdown"] = !is_closed ? shutdown_of(s) : state == "connected" || state == "ended" ? both : 0;
  if (s.own.is_named()) socket["own"] = s.own.to_json();
  if (s.peer.is_named()) socket["peer"] = s.peer.to_json();
  if (s.own.is_path()) socket["entry"] = entry_of(s.own, s.facts.file);
  const bool can_be_sent = s.kind.domain == AF_UNIX || s.kind.is_tcp() || s.kind.is_udp();
  s.incomplete |= !can_be_sent && !s.messages.empty();
  socket["messages"] = can_be_sent ? std::move(s.messages) : json::array();
  warn_of_what_is_lost(s, state, row, said);
  row["socket"] = std::move(socket);
  return true;
}

void socket_describer::warn_of_what_is_lost(const known& s, const std::string& state, const json& row, report& said) {
  if (s.incomplete)
    said.warn(s.fd, row, "has contents that cannot be read, or not be sent again: after a restart they are lost");
  if (s.kind.is_udp() && option_at(s.fd, IPPROTO_UDP, UDP_CORK) == 1 && unsent_at(s.fd) > 0)
    said.warn(s.fd, row, "holds an unfinished datagram (UDP_CORK), which cannot be read: after a restart it is lost");
  if (s.kind.domain == AF_PACKET || (s.kind.domain == AF_NETLINK && state == "connected"))
    said.warn(
        s.fd, row,
        "is of a kind that the kernel does not describe fully: after a restart it has its name and options, but no "
        "rings, packet groups or peer in this process");
  if (s.cut_files)
    said.warn(s.fd, row,
              "has descriptors on their way that cannot be read, because the limit of open files is reached (ulimit "
              "-n): after a restart they are lost");
  if (has_error_unread(s.fd, s.kind, state))
    said.warn(s.fd, row, "has an unread error, or unread messages in its error queue (MSG_ERRQUEUE): after a restart "
                         "they are lost");
  if (const std::string upper = upper_protocol(s.fd, s.kind); !upper.empty())
    said.warn(s.fd, row, "has the protocol " + upper + " on top (TCP_ULP): after a restart it has none");
}

int socket_describer::shutdown_of(const known& s) {
  if (s.kind.domain == AF_UNIX && s.has_facts) return s.facts.shutdown;
  if (s.kind.is_internet() && s.tcp_state != TCP_LISTEN)
    if (const auto told = tables_.shutdown_of_internet(s.inode, s.kind.protocol, s.kind.domain)) return *told;
  const int events = events_at(s.fd, POLLRDHUP);
  if ((events & POLLHUP) != 0 && s.tcp_state != TCP_CLOSE) return both;
  const bool ended = s.tcp_state == TCP_FIN_WAIT1 || s.tcp_state == TCP_FIN_WAIT2 || s.tcp_state == TCP_LAST_ACK ||
                     s.tcp_state == TCP_CLOSING;
  return ((events & POLLRDHUP) != 0 && s.tcp_state != TCP_CLOSE ? no_receiving : 0) | (ended ? no_sending : 0);
}

}  // namespace mana::descriptors
