// The program's sockets, in the image's form.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/table.hpp>
#include <runtime/descriptors/sockets/address.hpp>
#include <runtime/descriptors/sockets/kernel_tables.hpp>
#include <runtime/descriptors/sockets/options.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace mana::descriptors {

class socket_describer {
 public:
  /// in: all  the program's descriptors. Adds a descriptor for each open file that is on its way in a message of Unix
  ///     sockets, and that the program has no other descriptor for. These have numbers of this process's until this
  ///     object ends.
  explicit socket_describer(std::vector<owned_descriptor>& all);
  ~socket_describer();
  socket_describer(const socket_describer&) = delete;
  socket_describer& operator=(const socket_describer&) = delete;

  bool is_passed(int fd) const { return passed_.contains(fd); }
  /// Makes the row that of a socket, or of a socket whose other end is lost. False: not a socket.
  bool describe(const owned_descriptor& own, nlohmann::json& row, report& said);

 private:
  struct known {
    int fd;
    std::uint64_t file, inode, told_peer;  // told_peer: as socketpair() made them
    socket_kind kind;
    socket_address own, peer;
    int tcp_state;  // as in <netinet/tcp.h>; 0: not TCP
    unix_facts facts;
    bool has_facts;
    nlohmann::json messages;
    bool incomplete, cut_files;
  };

  void add(const owned_descriptor& d);
  void read_queue(known& s);
  std::uint64_t take_passed(int fd);
  const known* other_end(const known& s) const;

  std::string describe_state(known& s, nlohmann::json& row, nlohmann::json& socket, report& said);
  std::string state_in_tcp(known& s, nlohmann::json& row, report& said);
  std::string state_of_closed(const known& s) const;
  std::string state_in_unix(known& s, nlohmann::json& row, report& said);
  std::string state_without_tables(known& s, nlohmann::json& row, report& said) const;
  std::string state_of_datagrams(const known& s, nlohmann::json& row, report& said) const;
  static void warn_of_what_is_lost(const known& s, const std::string& state, const nlohmann::json& row, report& said);
  static void warn_of_callers(const known& s, const nlohmann::json& row, report& said);
  std::string outside(const known& s, nlohmann::json& row, report& said) const;
  int shutdown_of(const known& s);

  std::vector<owned_descriptor>& all_;
  std::map<std::uint64_t, known> known_;  // by open file
  std::set<std::uint64_t> waiting_;       // inodes of those that called a listener of the program's
  std::set<int> passed_;
  std::uint64_t next_file_ = 1;
  kernel_tables tables_;
};

}  // namespace mana::descriptors
