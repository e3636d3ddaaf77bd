// The coordinator of a job: one thread in rank 0's process, which asks for checkpoints and follows them to their end.
#pragma once
#include "clock_parts.hpp"
#include "connection.hpp"
#include "endpoint.hpp"
#include "surroundings.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <thread>

namespace mana::control {

class coordinator {
 public:
  coordinator(const surroundings& s, listener l, endpoint where);
  /// Runs until all ranks have ended, or their connections.
  void run();

 private:
  using time = std::chrono::steady_clock::time_point;

  struct agent {
    std::unique_ptr<connection> line;
    bool ending = false, parked = false, answered = false;
    rank_written written{};
    std::string failure;                // why its image was not written; empty: it was

    void forget_checkpoint() {
      parked = answered = false;
      failure.clear();
    }
  };
  struct client {
    std::unique_ptr<connection> line;
    bool known = false, waits = false, served = false;
  };
  enum class step { idle, quiescing, parking, writing };

  static time::duration seconds(double s);
  void poll_once();
  int next_timeout() const;
  void accept_one();
  void on_time();
  void read_client(client& c);
  void read_agent(int rank);
  void on_agent(int rank, frame_reader& frame);
  void send(int rank, const bytes& frame);
  void on_request(bool stop);
  void on_client(client& c, frame_reader& frame);
  bool greet(client& c, frame_reader& frame);

  void begin_if_asked();
  void enter(step next);
  void proceed();
  void conclude();
  void give_up(const std::string& why);
  void close_checkpoint(bool committed, const std::string& text);
  std::string success(const std::vector<rank_written>& images) const;
  void end_if_all_ending();
  void end(const std::string& to_clients);
  bool all_agents(bool agent::* flag) const;
  void tell_agents(const bytes& frame);
  void answer(client& c, bool ok, const std::string& text);
  void refuse_all(const std::string& why);
  std::string status_json() const;
  std::string too_late() const;
  std::string waiting_for() const;      // who keeps the step from its end: a line of text for each

  const surroundings& around_;
  listener listener_;
  endpoint where_;
  std::unique_ptr<coordinator_clock> clock_;
  std::vector<agent> agents_;
  std::list<client> clients_;           // also strangers, until they have said who they are
  step step_ = step::idle;
  bool asked_ = false, asked_stop_ = false;     // for the next checkpoint; who asked may have gone
  bool joined_ = false, joined_stop_ = false;   // asked for while the checkpoint under way could still serve it
  bool stop_ = false, ended_ = false;
  bool accepting_ = true;               // false: no descriptor is left for anybody new
  std::string lost_;                    // not empty: a rank has gone, and the job cannot be saved any more
  time begun_{}, step_begun_{}, deadline_{}, next_interval_{};
  std::array<std::optional<double>, 4> took_s_;  // by step: of the newest checkpoint, as far as it has come
  std::optional<time> stop_at_;
  commit_info generation_{};
  std::uint64_t committed_ = 0, last_generation_ = 0;
  std::string last_result_;
};

}  // namespace mana::control
