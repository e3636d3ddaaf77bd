// The multicast groups that a socket has joined. No option lists them. The kernel tells the machine's groups, and for
// each of them whether a socket is a member.
#pragma once
#include <runtime/descriptors/sockets/options.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mana::descriptors {

/// Adds "groups", if the socket has any: of IP and IPv6 with interfaces by name and sources, of netlink by number.
void describe_groups(int fd, const socket_kind& kind, nlohmann::json& socket);

/// out: groups that could not be joined again, as text
std::vector<std::string> join_groups(int fd, const nlohmann::json& socket);

}  // namespace mana::descriptors
