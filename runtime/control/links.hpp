// Connections that lead from a process of the control network to ranks: its own, and all below it in the tree. The
// coordinator and relays share this code.
#pragma once
#include <runtime/control/connection.hpp>
#include <runtime/control/endpoint.hpp>

#include <mana/clock/tree.hpp>

#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mana::control {

/// A client's statement about itself.
struct client_hello {
  std::uint32_t protocol = unsaid_protocol;
  std::string mana;                    // its version
};

/// Handles the frames of a process's links, on the thread that polls them.
class link_user {
 public:
  /// errors: wire_error: the link is cut off, and lost
  virtual void on_frame(int link, frame_reader& frame) = 0;
  /// The link may connect again.
  virtual void on_lost(int link) = 0;
  /// A peer has shown the key and is not a link. It may have sent more already. errors: wire_error: the peer is cut off
  virtual void on_client(std::unique_ptr<connection> line, const client_hello& who) = 0;

 protected:
  ~link_user() = default;
};

/// Each link leads to the agent of a rank, or to the relay of a process and so to a range of ranks.
class links {
 public:
  links(listener l, const job_key& key, std::vector<clock::rank_range> ranges, link_user& user);

  /// Waits until frames come, for timeout_ms at most (-1: no limit), and passes all of them to the user.
  /// in:     others  more connections to wait for, and to flush
  /// out:    those that can be read
  std::vector<connection*> poll_once(int timeout_ms, const std::vector<connection*>& others);

  // Leaves the frame for the next flush. A frame for a link that is not connected is dropped.
  void send(int link, const bytes& frame);
  void send_all(const bytes& frame);
  /// Sends over the link that leads to the rank. If the link leads to other ranks too, the frame is marked with the
  /// rank.
  void send_to_rank(int rank, const bytes& frame);
  void flush();
  /// Waits limit_ms milliseconds at most for each peer that has stopped reading.
  void flush_all(int limit_ms);
  /// Closes all connections and the port.
  void close();
  /// Another part of the process has closed a descriptor.
  void has_room() noexcept { accepting_ = true; }

  int number() const noexcept { return static_cast<int>(links_.size()); }
  const clock::rank_range& ranks(int link) const { return at(link).ranks; }
  bool is_agent(int link) const { return at(link).ranks.size() == 1; }
  bool is_here(int link) const { return at(link).here; }
  /// All ranks behind the links can be reached.
  bool all_here() const;
  bool none_left() const;

 private:
  struct link {
    clock::rank_range ranks;
    std::unique_ptr<connection> line = nullptr;
    bool here = false;      // with all ranks behind it
  };
  link& at(int l) { return links_[static_cast<std::size_t>(l)]; }
  const link& at(int l) const { return links_[static_cast<std::size_t>(l)]; }
  void read(int l);
  void greet(std::unique_ptr<connection>& stranger);
  void admit(std::unique_ptr<connection>& stranger, frame_reader hello);
  void accept_one();
  void cut_one_off();

  listener listener_;
  const job_key key_;
  std::vector<link> links_;
  link_user& user_;
  std::list<std::unique_ptr<connection>> strangers_;      // have not shown the key yet; the oldest first
  bool accepting_ = true;                                 // false: no descriptor is left for a new peer
};

}  // namespace mana::control
