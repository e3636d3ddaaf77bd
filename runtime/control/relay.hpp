// A relay of a job: one thread in a process that has children in the control tree. When all ranks behind its links have
// reported something, it reports that once to its parent. It passes frames of its parent on to all links.
#pragma once
#include <runtime/control/clock_trace.hpp>
#include <runtime/control/links.hpp>
#include <runtime/control/progress.hpp>
#include <runtime/control/unheard.hpp>

#include <functional>
#include <memory>

namespace mana::control {

class relay final : link_user {
 public:
  using caller = std::function<std::unique_ptr<connection>()>;
  /// range: the process and all below it. call_up: connects to the parent, and sends nothing
  /// errors: what call_up throws
  relay(const traced_job& job, const clock::rank_range& range, listener l, caller call_up);
  /// Runs until the program ends, or the parent is gone. Then it closes the links without a message.
  void run();

 private:
  void on_frame(int link, frame_reader& frame) override;
  void on_lost(int link) override;
  void on_client(std::unique_ptr<connection> line, const client_hello& who) override;
  void poll_once();
  void read_up();
  void join();
  bool join_again();
  void on_order(frame_reader& frame);
  void tell_what_all_said();
  void tell(const bytes& frame) {
    unheard_.note(frame);
    up_->queue(frame);
  }

  const caller call_up_;
  const bytes hello_;
  links links_;
  progress progress_;
  std::unique_ptr<connection> up_;
  unheard unheard_;                             // by the parent
  std::unique_ptr<relay_clock> clock_;          // nullptr: the policy's messages pass through unread
  bool ended_ = false, orphaned_ = false;
  bool said_here_ = false, said_ending_ = false;
  clock::request_number said_parked_ = 0, said_drained_ = 0, said_copied_ = 0, said_on_node_ = 0, said_written_ = 0;   // reported last
  std::uint64_t said_looked_ = 0;
};

}  // namespace mana::control
