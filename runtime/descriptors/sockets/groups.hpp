// The multicast groups that a socket has joined. No option lists them. The kernel tells which groups the machine is in, and of
// one, whether a socket is too.
#pragma once
#include <runtime/descriptors/sockets/options.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mana::descriptors {

/// Adds "groups", if there are any: of IP and IPv6 with interfaces by name and sources, of netlink by number.
void describe_groups(int fd, const socket_kind& kind, nlohmann::json& socket);

/// out: groups that could not be joined again, in words
std::vector<std::string> join_groups(int fd, const nlohmann::json& socket);

}  // namespace mana::descriptors
