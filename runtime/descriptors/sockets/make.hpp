// Makes all the program's sockets again. Their connections decide how each is made.
#pragma once
#include <runtime/descriptors/base/spare_numbers.hpp>
#include <runtime/descriptors/sockets/address.hpp>
#include <runtime/descriptors/sockets/options.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mana::descriptors {

/// The longest wait for one event of a socket that is made again: its other end is this process's too.
inline constexpr int socket_event_limit_ms = 5000;

/// A descriptor that is closed at the end.
class owned_socket {
 public:
  owned_socket() = default;
  explicit owned_socket(int fd) : fd_(fd) {}
  owned_socket(owned_socket&& other) noexcept : fd_(other.release()) {}
  owned_socket& operator=(owned_socket&& other) noexcept;
  ~owned_socket() { reset(); }
  int get() const noexcept { return fd_; }
  int release() noexcept;
  void reset() noexcept;
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

class socket_maker {
 public:
  /// in: rows  of descriptors, some of which are sockets; they outlive this object
  socket_maker(const std::vector<const nlohmann::json*>& rows, const spare_numbers& spare)
      : rows_(rows), spare_(spare) {}
  socket_maker(const socket_maker&) = delete;
  socket_maker& operator=(const socket_maker&) = delete;

  /// A descriptor of the row's socket. finish() fills its queue and shuts directions down.
  /// errors: descriptor_error
  int open(const nlohmann::json& row);
  /// in: files  a descriptor of each open file, by its number in the image
  /// errors: descriptor_error
  void finish(const std::map<std::uint64_t, int>& files);
  /// Differences from before, as text.
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  struct made {
    const nlohmann::json* row;
    const nlohmann::json* socket;
    socket_kind kind;
    std::string state;
    socket_address own, peer;
    std::uint64_t other = 0;  // of a pair that is made: the other end
    owned_socket fd;
    owned_socket stand_in;  // the other end, if no process has it
    owned_socket entry;     // of a name in a file system: finds the socket, whatever happens to the name
    bool in_pair = false;   // made together with its other end
  };

  // make.cpp: single sockets
  void make_all();
  void read_rows();
  owned_socket new_socket(const socket_kind& kind) const;
  void make_alone(made& s);
  void bind_again(made& s);
  void bind_internet(made& s);
  bool bind_beside_own(made& s);
  std::vector<made*> own_sharers(const made& s);
  void lend(made& s, int option);
  void take_lent_back();
  void bind_path(made& s);
  bool make_way(const std::string& path) const;
  void note(const made& s, const std::string& what);

  // connect.cpp: connections
  made* mutual(made& s);
  void make_unix_pair(made& s, made* other);
  void make_named_pair(made& server, made& caller);
  void call(made& s);
  bool call_place_of(int fd, const made& listener) const;
  made* listener_of_name(const socket_address& name, int type);
  void make_tcp(made& s, made* other);
  void connect_tcp(made& server, owned_socket& accepted, made& caller, owned_socket& calling);
  bool connects_when_left(int fd, const socket_address& to);
  std::vector<int> listeners_at(const socket_address& place) const;
  owned_socket listen_at(const made& server, const socket_address& place);
  void refuse(made& s) const;

  // fill.cpp: contents of queues, and what follows
  void fill(made& s, const std::map<std::uint64_t, int>& files);
  void fill_datagrams(made& s, const std::map<std::uint64_t, int>& files);
  int sender_from(const nlohmann::json& message, const made& to);
  void connect_datagrams(made& s);
  void end_stand_in(made& s);
  void set_the_rest(made& s);
  void finish_entry(const made& s) const;
  void connect_onward(made& s) const;

  const std::vector<const nlohmann::json*> rows_;
  const spare_numbers& spare_;
  bool is_made_ = false;
  std::map<std::uint64_t, made> all_;            // by open file
  std::map<std::string, owned_socket> senders_;  // of datagrams whose sender is gone, by its name
  struct lent {
    int fd, option, value;
  };
  std::vector<lent> lent_;                     // options that other sockets of the program need while sockets are bound
  std::vector<std::string> notes_;
  std::chrono::steady_clock::time_point taken_over_by_;  // no wait for earlier connections lasts longer than this
};

}  // namespace mana::descriptors
