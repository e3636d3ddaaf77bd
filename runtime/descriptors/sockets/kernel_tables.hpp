// Facts that the kernel tells by a socket's number (sock_diag(7)), not by a descriptor. They are the other end of a
// Unix socket, the callers that wait to be accepted, and the directions that are shut down. Any user may ask.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mana::descriptors {

struct unix_facts {
  int shutdown = 0;  // 1: for receiving, 2: for sending
  bool has_peer = false;
  std::uint64_t peer = 0;  // inode; 0 with has_peer: no process has the peer open, or the peer waits to be accepted
  std::vector<std::uint64_t>
      waiting;             // of a listener: inodes of callers that it has not accepted, in their order
  int backlog = 0;         // of a listener
  std::uint64_t file = 0;  // inode of its entry in a file system
};

struct tcp_side {
  bool is_open;     // a process has it open
  bool waits;       // a listener has it, and has not accepted it yet
  unsigned unread;  // bytes
};

class kernel_tables {
 public:
  kernel_tables();
  ~kernel_tables();
  kernel_tables(const kernel_tables&) = delete;
  kernel_tables& operator=(const kernel_tables&) = delete;

  /// Nothing: the kernel does not tell.
  std::optional<unix_facts> of_unix(std::uint64_t inode);
  /// Directions that are shut down.
  std::optional<int> shutdown_of_internet(std::uint64_t inode, int protocol, int family);
  /// A side of a TCP connection of this machine. Nothing: no such side.
  /// in: own, other  socket_address::place() of this side, and of the other
  std::optional<tcp_side> side_of_tcp(const std::string& own, const std::string& other);

 private:
  void read_table(int protocol, int family);

  int asking_ = -1;
  std::map<std::pair<int, int>, bool> read_;  // by protocol and family
  std::map<std::uint64_t, int> shutdown_;
  std::map<std::pair<std::string, std::string>, tcp_side> sides_;
};

}  // namespace mana::descriptors
