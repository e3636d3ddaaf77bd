// The connections over which a process of the control network hears of ranks: of its own, and of all that are below it
// in the tree. What the coordinator and relays have in common.
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

/// Who a client says it is.
struct client_hello {
  std::uint32_t protocol = unsaid_protocol;
  std::string mana;                    // its version
};

/// What a process does with what comes over its links. On the thread that polls them.
class link_user {
 public:
  /// errors: wire_error: the link is cut off, and lost
  virtual void on_frame(int link, frame_reader& frame) = 0;
  /// It may come again.
  virtual void on_lost(int link) = 0;
  /// Somebody has shown the key and is no link, and may have said more already. errors: wire_error: is cut off
  virtual void on_client(std::unique_ptr<connection> line, const client_hello& who) = 0;

 protected:
  ~link_user() = default;
};

/// Each link leads to the agent of one rank, or to the relay of a process and so to a range of ranks.
class links {
 public:
  links(listener l, const job_key& key, std::vector<clock::rank_range> ranges, link_user& user);

  /// Waits until something comes, for timeout_ms at most (-1: no limit), and tells the user all that has come.
  /// in:     others  connections that are waited for as well, and flushed
  /// out:    those of them that there is something to read from
  std::vector<connection*> poll_once(int timeout_ms, const std::vector<connection*>& others);

  // With the next flush; what is for a link that is not there is dropped.
  void send(int link, const bytes& frame);
  void send_all(const bytes& frame);
  /// Over the link that leads to it; marked, if not to it alone.
  void send_to_rank(int rank, const bytes& frame);
  void flush();
  /// For limit_ms at most, for each that has stopped reading.
  void flush_all(int limit_ms);
  /// Nobody is there any more, nor can come.
  void close();
  /// A descriptor that was not the links' was closed.
  void has_room() noexcept { accepting_ = true; }

  int number() const noexcept { return static_cast<int>(links_.size()); }
  const clock::rank_range& ranks(int link) const { return at(link).ranks; }
  bool is_agent(int link) const { return at(link).ranks.size() == 1; }
  bool is_here(int link) const { return at(link).here; }
  /// All ranks behind the links can be spoken with.
  bool all_here() const;
  bool none_left() const;

 private:
  struct link {
    clock::rank_range ranks;
    std::unique_ptr<connection> line = nullptr;
    bool here = false;      // with all that is behind it
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
  std::list<std::unique_ptr<connection>> strangers_;      // who have not said who they are yet, the oldest first
  bool accepting_ = true;                                 // false: no descriptor is left for anybody new
};

}  // namespace mana::control
