#include <runtime/descriptors/sockets/options.hpp>

#include <linux/filter.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int level_packet = 263, level_udp_lite = 136, protocol_udp_lite = 136, level_raw = 255, level_netlink = 270;
constexpr int buffers_locked = 72;  // SO_BUF_LOCK
constexpr std::size_t largest_option = 320;

/// By level: every option whose value can be read and set. Options of newer kernels than the build's headers are given
/// as numbers.
const std::pair<int, std::vector<int>> known_options[] = {
    {SOL_SOCKET,
     {SO_DEBUG,
      SO_REUSEADDR,
      SO_REUSEPORT,
      SO_DONTROUTE,
      SO_BROADCAST,
      SO_KEEPALIVE,
      SO_OOBINLINE,
      SO_NO_CHECK,
      SO_PRIORITY,
      SO_MARK,
      SO_LINGER,
      SO_PASSCRED,
      34 /* PASSSEC */,
      SO_RCVLOWAT,
      SO_RCVTIMEO,
      SO_SNDTIMEO,
      SO_BINDTODEVICE,
      29 /* TIMESTAMP */,
      35 /* TIMESTAMPNS */,
      63 /* TIMESTAMP_NEW */,
      64 /* TIMESTAMPNS_NEW */,
      37 /* TIMESTAMPING */,
      SO_RXQ_OVFL,
      41 /* WIFI_STATUS */,
      SO_PEEK_OFF,
      43 /* NOFCS */,
      45 /* SELECT_ERR_QUEUE */,
      46 /* BUSY_POLL */,
      47 /* MAX_PACING_RATE */,
      60 /* ZEROCOPY */,
      61 /* TXTIME */,
      69 /* PREFER_BUSY_POLL */,
      73 /* RESERVE_MEM */,
      74 /* TXREHASH */,
      75 /* RCVMARK */,
      76 /* PASSPIDFD */,
      82 /* RCVPRIORITY */,
      83 /* PASSRIGHTS */}},
    {IPPROTO_IP,
     {IP_TOS,
      IP_TTL,
      IP_HDRINCL,
      IP_OPTIONS,
      IP_ROUTER_ALERT,
      IP_RECVOPTS,
      IP_RETOPTS,
      IP_PKTINFO,
      IP_MTU_DISCOVER,
      IP_RECVERR,
      IP_RECVTTL,
      IP_RECVTOS,
      IP_FREEBIND,
      IP_PASSSEC,
      IP_TRANSPARENT,
      IP_RECVORIGDSTADDR,
      IP_MINTTL,
      IP_NODEFRAG,
      23 /* CHECKSUM */,
      24 /* BIND_ADDRESS_NO_PORT */,
      25 /* RECVFRAGSIZE */,
      26 /* RECVERR_RFC4884 */,
      IP_MULTICAST_IF,
      IP_MULTICAST_TTL,
      IP_MULTICAST_LOOP,
      IP_MULTICAST_ALL,
      IP_UNICAST_IF,
      51 /* LOCAL_PORT_RANGE */}},
    {IPPROTO_IPV6,
     {IPV6_V6ONLY,
      IPV6_UNICAST_HOPS,
      IPV6_MULTICAST_IF,
      IPV6_MULTICAST_HOPS,
      IPV6_MULTICAST_LOOP,
      29 /* MULTICAST_ALL */,
      IPV6_MTU_DISCOVER,
      IPV6_RECVERR,
      31 /* RECVERR_RFC4884 */,
      IPV6_RECVPKTINFO,
      IPV6_RECVHOPLIMIT,
      IPV6_RECVRTHDR,
      IPV6_RECVHOPOPTS,
      IPV6_RECVDSTOPTS,
      IPV6_RECVPATHMTU,
      IPV6_RECVTCLASS,
      IPV6_TCLASS,
      IPV6_DONTFRAG,
      33 /* FLOWINFO_SEND */,
      11 /* FLOWINFO */,
      70 /* AUTOFLOWLABEL */,
      72 /* ADDR_PREFERENCES */,
      73 /* MINHOPCOUNT */,
      74 /* RECVORIGDSTADDR */,
      75 /* TRANSPARENT */,
      76 /* UNICAST_IF */,
      77 /* RECVFRAGSIZE */,
      78 /* FREEBIND */,
      IPV6_ROUTER_ALERT,
      IPV6_CHECKSUM}},
    {IPPROTO_TCP,
     {TCP_NODELAY,
      TCP_CORK,
      TCP_KEEPIDLE,
      TCP_KEEPINTVL,
      TCP_KEEPCNT,
      TCP_SYNCNT,
      TCP_LINGER2,
      TCP_DEFER_ACCEPT,
      TCP_WINDOW_CLAMP,
      TCP_QUICKACK,
      TCP_CONGESTION,
      TCP_USER_TIMEOUT,
      TCP_THIN_LINEAR_TIMEOUTS,
      TCP_FASTOPEN,
      TCP_FASTOPEN_CONNECT,
      TCP_FASTOPEN_NO_COOKIE,
      TCP_NOTSENT_LOWAT,
      TCP_SAVE_SYN,
      36 /* INQ */,
      37 /* TX_DELAY */,
      TCP_MAXSEG}},
    {IPPROTO_UDP,
     {UDP_CORK, 100 /* ENCAP */, 101 /* NO_CHECK6_TX */, 102 /* NO_CHECK6_RX */, 103 /* SEGMENT */, 104 /* GRO */}},
    {level_udp_lite, {10, 11}},                                     // how much a sum covers, sending and receiving
    {level_raw, {1}},                                               // ICMP_FILTER
    {IPPROTO_ICMPV6, {1}},                                          // ICMPV6_FILTER
    {level_packet, {7, 8, 9, 10, 12, 14, 15, 18, 19, 20, 21, 23}},  // copies, auxiliary data, version, fan-out, …
    {level_netlink, {3, 4, 5, 8, 10, 11, 12}},
};

/// Options that would prevent connections or messages from being made, or would apply to the wrong socket then.
bool is_late(int level, int name) noexcept {
  static const std::set<std::pair<int, int>> late = {{SOL_SOCKET, SO_PRIORITY},      // IP_TOS sets it too
                                                     {SOL_SOCKET, SO_OOBINLINE},
                                                     {SOL_SOCKET, SO_RCVLOWAT},
                                                     {SOL_SOCKET, SO_LINGER},
                                                     {SOL_SOCKET, SO_RCVTIMEO},
                                                     {SOL_SOCKET, SO_SNDTIMEO},
                                                     {SOL_SOCKET, SO_PEEK_OFF},
                                                     {IPPROTO_TCP, TCP_DEFER_ACCEPT},
                                                     {IPPROTO_TCP, TCP_CORK},
                                                     {IPPROTO_TCP, TCP_QUICKACK},
                                                     {IPPROTO_TCP, TCP_WINDOW_CLAMP},
                                                     {IPPROTO_UDP, UDP_CORK},
                                                     {IPPROTO_TCP, TCP_USER_TIMEOUT},
                                                     {IPPROTO_UDP, 103},
                                                     {IPPROTO_TCP, 37},
                                                     {SOL_SOCKET, SO_MARK},
                                                     {IPPROTO_IP, IP_TTL},
                                                     {IPPROTO_IP, IP_MINTTL},
                                                     {IPPROTO_IPV6, 73},
                                                     {IPPROTO_IPV6, IPV6_UNICAST_HOPS}};
  return late.contains({level, name});
}

bool applies(int level, const socket_kind& kind) noexcept {
  switch (level) {
    case SOL_SOCKET: return true;
    case IPPROTO_IP: return kind.is_internet();
    case IPPROTO_IPV6: return kind.domain == AF_INET6;
    case IPPROTO_TCP: return kind.is_tcp();
    case IPPROTO_UDP: return kind.is_udp() && kind.protocol != protocol_udp_lite;
    case level_udp_lite: return kind.protocol == protocol_udp_lite;
    case level_raw: return kind.domain == AF_INET && kind.type == SOCK_RAW && kind.protocol == IPPROTO_ICMP;
    case IPPROTO_ICMPV6: return kind.domain == AF_INET6 && kind.type == SOCK_RAW && kind.protocol == IPPROTO_ICMPV6;
    case level_packet: return kind.domain == AF_PACKET;
    case level_netlink: return kind.domain == AF_NETLINK;
    default: return false;
  }
}

/// Null: this socket has no such option.
json value_of(int fd, int level, int name) {
  std::vector<std::uint8_t> bytes(largest_option);
  auto n = static_cast<socklen_t>(bytes.size());
  if (level == IPPROTO_IP && name == IP_MULTICAST_IF) n = sizeof(in_addr);
  if (getsockopt(fd, level, name, bytes.data(), &n) != 0) return nullptr;
  bytes.resize(std::min<std::size_t>(n, bytes.size()));
  return json::binary(std::move(bytes));
}

/// For a connection the kernel tells the resulting values, not the values that were set.
bool is_told_otherwise(int fd, int level, int name) {
  if (level != IPPROTO_TCP || (name != TCP_MAXSEG && name != TCP_WINDOW_CLAMP)) return false;
  tcp_info info{};
  socklen_t n = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 && info.tcpi_state != TCP_CLOSE &&
         info.tcpi_state != TCP_LISTEN;
}

/// The kernel chooses the size of buffers until the program chooses. Kernels before 5.14 do not tell who chose.
json buffers_of(int fd) {
  const int locks = socket_option(fd, buffers_locked);
  const int chosen = locks < 0 ? 3 : locks;
  return {{"locks", locks},
          {"send", (chosen & 1) != 0 ? socket_option(fd, SO_SNDBUF) : 0},
          {"receive", (chosen & 2) != 0 ? socket_option(fd, SO_RCVBUF) : 0}};
}

void set_buffer(int fd, int name, int forced, int wanted) {
  if (wanted <= 0 || socket_option(fd, name) == wanted) return;
  set_option(fd, SOL_SOCKET, name, wanted / 2);  // the kernel doubles the value
  if (socket_option(fd, name) != wanted) set_option(fd, SOL_SOCKET, forced, wanted / 2);
}

void set_buffers(int fd, const json& buffers) {
  set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, buffers.at("send"));
  set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, buffers.at("receive"));
  if (const int locks = buffers.at("locks"); locks >= 0) set_option(fd, SOL_SOCKET, buffers_locked, locks);
}

}  // namespace

bool socket_kind::is_internet() const noexcept { return domain == AF_INET || domain == AF_INET6; }
bool socket_kind::is_tcp() const noexcept { return is_internet() && type == SOCK_STREAM && protocol == IPPROTO_TCP; }
bool socket_kind::is_udp() const noexcept {
  return is_internet() && type == SOCK_DGRAM && (protocol == IPPROTO_UDP || protocol == protocol_udp_lite);
}
bool socket_kind::is_datagram() const noexcept { return type != SOCK_STREAM; }

socket_kind kind_of_socket(int fd) noexcept {
  return {socket_option(fd, SO_DOMAIN), socket_option(fd, SO_TYPE), socket_option(fd, SO_PROTOCOL)};
}

int option_at(int fd, int level, int name) noexcept {
  int value = 0;
  socklen_t n = sizeof value;
  return getsockopt(fd, level, name, &value, &n) == 0 ? value : -1;
}
int socket_option(int fd, int name) noexcept { return option_at(fd, SOL_SOCKET, name); }
bool set_option(int fd, int level, int name, int value) noexcept {
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

json options_of(int fd, const socket_kind& kind) {
  json all = {{"values", json::array()}, {"buffers", buffers_of(fd)}};
  const int fresh = socket(kind.domain, kind.type | SOCK_CLOEXEC, kind.protocol);
  for (const auto& [level, names] : known_options) {
    if (!applies(level, kind)) continue;
    for (const int name : names) {
      if (is_told_otherwise(fd, level, name)) continue;
      json value = value_of(fd, level, name);
      if (!value.is_null() && value != value_of(fresh, level, name))
        all["values"].push_back({level, name, std::move(value)});
    }
  }
  if (fresh >= 0) close(fresh);
  return all;
}

bool had_option(const json& options, int level, int name) {
  const json& values = options.at("values");
  return std::any_of(values.begin(), values.end(), [=](const json& o) { return o.at(0) == level && o.at(1) == name; });
}

int tcp_state_of(int fd) noexcept {
  tcp_info info{};
  socklen_t n = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 ? info.tcpi_state : 0;
}

namespace {

/// The image's value, or else a new socket's. An accepted socket, which has its listener's values, may differ from a
/// new one. Null: no such option.
json wanted_value(const json& values, int fresh, int level, int name) {
  for (const json& option : values)
    if (option.at(0) == level && option.at(1) == name) return option.at(2);
  return value_of(fresh, level, name);
}

}  // namespace

void set_options(int fd, const json& options, option_time when, std::vector<std::string>& refused) {
  const socket_kind kind = kind_of_socket(fd);
  const int fresh = socket(kind.domain, kind.type | SOCK_CLOEXEC, kind.protocol);
  for (const auto& [level, names] : known_options) {
    if (!applies(level, kind)) continue;
    for (const int name : names) {
      if (is_late(level, name) != (when == option_time::late) || is_told_otherwise(fd, level, name)) continue;
      const json wanted = wanted_value(options.at("values"), fresh, level, name);
      if (wanted.is_null() || value_of(fd, level, name) == wanted) continue;
      const std::vector<std::uint8_t>& bytes = wanted.get_binary();
      const bool set = setsockopt(fd, level, name, bytes.data(), static_cast<socklen_t>(bytes.size())) == 0;
      if (!set && (errno == EPERM || errno == EACCES))
        refused.push_back("option " + std::to_string(name) + " of level " + std::to_string(level));
    }
  }
  if (fresh >= 0) close(fresh);
  if (when == option_time::late) set_buffers(fd, options.at("buffers"));
}

void describe_filter(int fd, json& row, json& socket, report& said) {
  std::vector<sock_filter> program(BPF_MAXINSNS);
  auto n = static_cast<socklen_t>(program.size());
  if (getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, program.data(), &n) != 0) {
    if (errno == EACCES) said.warn(fd, row, "has a packet filter of bpf(2): after a restart it has none");
    return;
  }
  if (n == 0) return;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(program.data());
  socket["filter"] = json::binary({bytes, bytes + n * sizeof(sock_filter)});
  socket["filter_locked"] = socket_option(fd, SO_LOCK_FILTER) == 1;
}

void attach_filter(int fd, const json& socket) {
  if (!socket.contains("filter")) return;
  std::vector<std::uint8_t> bytes = socket.at("filter").get_binary();
  sock_fprog program{static_cast<unsigned short>(bytes.size() / sizeof(sock_filter)),
                     reinterpret_cast<sock_filter*>(bytes.data())};
  setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
  if (socket.at("filter_locked").get<bool>()) set_option(fd, SOL_SOCKET, SO_LOCK_FILTER, 1);
}

}  // namespace mana::descriptors
