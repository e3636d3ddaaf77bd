// What sockets are set to.
#pragma once
#include <runtime/descriptors/base/report.hpp>

#include <nlohmann/json.hpp>

namespace mana::descriptors {

/// What tells a socket's kind: of what the options depend on.
struct socket_kind {
  int domain, type, protocol;
  bool is_tcp() const noexcept;
  bool is_udp() const noexcept;  // or UDP-Lite
  bool is_internet() const noexcept;
  /// Each message is one: it is read whole or not at all.
  bool is_datagram() const noexcept;
};
socket_kind kind_of_socket(int fd) noexcept;

/// What a program can set, and is not as in a new socket: the rest is the machine's, also that of a restart.
nlohmann::json options_of(int fd, const socket_kind& kind);
/// True: these have a value of it that is not that of a new socket.
bool had_option(const nlohmann::json& options, int level, int name);

/// When an option is set: before the socket gets its name; before messages are put into its queue; when all is there
/// that the others would disturb.
enum class option_time { early, late };

/// Sets those that this socket has otherwise, and says which of them this process may not set.
void set_options(int fd, const nlohmann::json& options, option_time when, std::vector<std::string>& refused);

/// The packet filter. Adds "filter" if there is one.
void describe_filter(int fd, nlohmann::json& row, nlohmann::json& socket, report& said);
void attach_filter(int fd, const nlohmann::json& socket);

/// As <netinet/tcp.h> has them; 0: it is none of TCP.
int tcp_state_of(int fd) noexcept;

/// Whole numbers of the level SOL_SOCKET; -1: the kernel has no such option.
int socket_option(int fd, int name) noexcept;
int option_at(int fd, int level, int name) noexcept;
bool set_option(int fd, int level, int name, int value) noexcept;

}  // namespace mana::descriptors
