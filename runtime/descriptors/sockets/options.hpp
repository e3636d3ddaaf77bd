// Options of sockets.
#pragma once
#include <runtime/descriptors/base/report.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// The facts that options depend on.
struct socket_kind {
  int domain, type, protocol;
  bool is_tcp() const noexcept;
  bool is_udp() const noexcept;  // or UDP-Lite
  bool is_internet() const noexcept;
  /// Each message is one unit: a read returns all of it or nothing.
  bool is_datagram() const noexcept;
};
socket_kind kind_of_socket(int fd) noexcept;

/// Options that a program can set and that differ from a new socket's. All others belong to the machine, also at a
/// restart.
nlohmann::json options_of(int fd, const socket_kind& kind);
/// True: the options contain a value of this one that differs from a new socket's.
bool had_option(const nlohmann::json& options, int level, int name);

/// The time to set an option: before the socket gets its name and messages; or at the end, if it would disturb other
/// steps.
enum class option_time { early, late };

/// Sets those that differ on this socket. `refused` gets those that this process may not set.
void set_options(int fd, const nlohmann::json& options, option_time when, std::vector<std::string>& refused);

/// The packet filter. Adds "filter" if the socket has one.
void describe_filter(int fd, nlohmann::json& row, nlohmann::json& socket, report& said);
void attach_filter(int fd, const nlohmann::json& socket);

/// As in <netinet/tcp.h>; 0: not TCP.
int tcp_state_of(int fd) noexcept;

/// Integers of the level SOL_SOCKET; -1: the kernel has no such option.
int socket_option(int fd, int name) noexcept;
int option_at(int fd, int level, int name) noexcept;
bool set_option(int fd, int level, int name, int value) noexcept;

}  // namespace mana::descriptors
