#include <runtime/descriptors/sockets/groups.hpp>

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

using nlohmann::json;

namespace mana::descriptors {

namespace {

struct group_of_machine {
  int level;
  unsigned interface;
  sockaddr_storage address;
};

sockaddr_storage as_address(in_addr address) noexcept {
  sockaddr_storage all{};
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr = address;
  std::memcpy(&all, &in, sizeof in);
  return all;
}
sockaddr_storage as_address(const in6_addr& address) noexcept {
  sockaddr_storage all{};
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_addr = address;
  std::memcpy(&all, &in, sizeof in);
  return all;
}

/// /proc/net/igmp: a line of an interface begins with its number. Lines of its groups follow, with the address in
/// hexadecimal in the machine's byte order.
void read_groups(std::vector<group_of_machine>& all) {
  std::ifstream file("/proc/net/igmp");
  unsigned interface = 0;
  for (std::string line; std::getline(file, line);) {
    in_addr address{};
    if (!line.empty() && line[0] != '\t') std::sscanf(line.c_str(), "%u", &interface);
    else if (std::sscanf(line.c_str(), " %x", &address.s_addr) == 1)
      all.push_back({IPPROTO_IP, interface, as_address(address)});
  }
}

/// /proc/net/igmp6: number and name of the interface, 32 digits of the address.
void read_groups_6(std::vector<group_of_machine>& all) {
  std::ifstream file("/proc/net/igmp6");
  for (std::string line; std::getline(file, line);) {
    unsigned interface = 0;
    char digits[33] = "";
    if (std::sscanf(line.c_str(), "%u %*s %32[0-9a-f]", &interface, digits) != 2) continue;
    in6_addr address{};
    for (std::size_t i = 0; i < sizeof address.s6_addr; ++i) std::sscanf(digits + 2 * i, "%2hhx", &address.s6_addr[i]);
    all.push_back({IPPROTO_IPV6, interface, as_address(address)});
  }
}

/// A filter, and the room after it.
struct filter_space {
  explicit filter_space(std::size_t sources)
      : bytes(static_cast<socklen_t>(GROUP_FILTER_SIZE(std::max<std::size_t>(sources, 1)))), memory(new char[bytes]()) {}
  group_filter& operator*() const noexcept { return *reinterpret_cast<group_filter*>(memory.get()); }
  socklen_t bytes;
  std::unique_ptr<char[]> memory;
};

json bytes_of(const sockaddr_storage& address) {
  const auto* const at = reinterpret_cast<const std::uint8_t*>(&address);
  return json::binary({at, at + (address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6))});
}
sockaddr_storage address_in(const json& bytes) {
  sockaddr_storage address{};
  const auto& all = bytes.get_binary();
  std::memcpy(&address, all.data(), std::min(sizeof address, all.size()));
  return address;
}

/// Null: the socket is not in this group.
json membership_of(int fd, const group_of_machine& group) {
  for (std::size_t room = 16;;) {
    const filter_space found(room);
    socklen_t n = found.bytes;
    (*found).gf_interface = group.interface;
    (*found).gf_group = group.address;
    (*found).gf_numsrc = static_cast<std::uint32_t>(room);
    if (getsockopt(fd, group.level, MCAST_MSFILTER, found.memory.get(), &n) != 0) return nullptr;
    if ((*found).gf_numsrc > room) {
      room = (*found).gf_numsrc;
      continue;
    }
    char name[IF_NAMESIZE] = "";
    if_indextoname(group.interface, name);
    json sources = json::array();
    for (std::uint32_t i = 0; i < (*found).gf_numsrc; ++i) sources.push_back(bytes_of((&(*found).gf_slist[0])[i]));
    return {{"level", group.level},
            {"interface", name},
            {"address", bytes_of(group.address)},
            {"only", (*found).gf_fmode == MCAST_INCLUDE},
            {"sources", std::move(sources)}};
  }
}

json internet_groups(int fd, const socket_kind& kind) {
  std::vector<group_of_machine> all;
  read_groups(all);
  if (kind.domain == AF_INET6) read_groups_6(all);
  json joined = json::array();
  for (const group_of_machine& group : all)
    if (json row = membership_of(fd, group); !row.is_null()) joined.push_back(std::move(row));
  return joined;
}

/// The socket's name also contains the groups up to 32.
json netlink_groups(int fd) {
  std::vector<std::uint32_t> bits(64);
  auto n = static_cast<socklen_t>(bits.size() * sizeof bits[0]);
  json joined = json::array();
  if (getsockopt(fd, SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, bits.data(), &n) != 0) return joined;
  const std::size_t known = std::min<std::size_t>(n * 8, bits.size() * 32);
  for (std::size_t i = 0; i < known; ++i)
    if ((bits[i / 32] >> (i % 32) & 1) != 0) joined.push_back(i + 1);
  return joined;
}

template <class Request>
bool ask(int fd, int level, int option, const Request& request) noexcept {
  return setsockopt(fd, level, option, &request, sizeof request) == 0;
}

/// If a group is joined for some sources only, the first source joins the group.
bool join(int fd, const json& group) {
  const int level = group.at("level");
  const bool only = group.at("only");
  group_req whole{if_nametoindex(group.at("interface").get<std::string>().c_str()), address_in(group.at("address"))};
  if (whole.gr_interface == 0) return false;
  bool all = only || ask(fd, level, MCAST_JOIN_GROUP, whole);
  for (const json& source : group.at("sources")) {
    const group_source_req one{whole.gr_interface, whole.gr_group, address_in(source)};
    all = ask(fd, level, only ? MCAST_JOIN_SOURCE_GROUP : MCAST_BLOCK_SOURCE, one) && all;
  }
  return all;
}

std::string words_of(const json& group) {
  const sockaddr_storage address = address_in(group.at("address"));
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* const at = address.ss_family == AF_INET ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(address).sin_addr)
                                                      : &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  inet_ntop(address.ss_family, at, text.data(), text.size());
  return std::string(text.data()) + " at the interface " + group.at("interface").get<std::string>();
}

}  // namespace

void describe_groups(int fd, const socket_kind& kind, json& socket) {
  json joined = json::array();
  if (kind.domain == AF_NETLINK) joined = netlink_groups(fd);
  else if (kind.is_internet() && kind.is_datagram()) joined = internet_groups(fd, kind);
  if (!joined.empty()) socket["groups"] = std::move(joined);
}

std::vector<std::string> join_groups(int fd, const json& socket) {
  std::vector<std::string> refused;
  for (const json& group : socket.value("groups", json::array())) {
    if (group.is_object()) {
      if (!join(fd, group)) refused.push_back("the multicast group " + words_of(group));
    } else if (const int number = group; !ask(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, number)) {
      refused.push_back("the group " + std::to_string(number) + " of netlink");
    }
  }
  return refused;
}

}  // namespace mana::descriptors
