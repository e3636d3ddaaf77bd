// The coordinator of a job: one thread in rank 0's process that asks for checkpoints and carries them through.
#pragma once
#include <runtime/control/clock_parts.hpp>
#include <runtime/control/links.hpp>
#include <runtime/control/progress.hpp>
#include <runtime/control/surroundings.hpp>

#include <array>
#include <chrono>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mana::control {

class coordinator final : link_user {
 public:
  /// orders: a socket from its own process, for the frame hand_over
  coordinator(const surroundings& s, listener l, endpoint where, handle orders);
  /// Runs until all ranks have ended, all links are gone, or another coordinator follows.
  void run();
  /// For the next coordinator. Call after run().
  coordinator_memory memory() const;
  /// Another coordinator follows. Call after run().
  bool gave_way() const noexcept { return gave_way_; }

 private:
  using time = std::chrono::steady_clock::time_point;

  struct client {
    std::unique_ptr<connection> line;
    bool waits = false, served = false, watches = false;
    wait_for what = wait_for::directory;
    std::uint32_t protocol = protocol_version;
  };
  enum class step { idle, quiescing, parking, draining, writing, storing };
  enum class ending { not_needed, given_up, on_nodes, in_directory };

  static time::duration seconds(double s);
  bool has_deadline() const { return step_ == step::quiescing || step_ == step::parking || step_ == step::draining; }
  void on_frame(int link, frame_reader& frame) override;
  void on_lost(int link) override;
  void on_client(std::unique_ptr<connection> line, const client_hello& who) override;
  void poll_once();
  int next_timeout() const;
  void on_time();
  void read_client(client& c);
  void on_client_frame(client& c, frame_reader& frame);
  void refuse_foreign(client& c, frame_reader& frame);
  void on_clock(int from, frame_reader& frame);
  void send(int to, const bytes& frame);
  void on_request(bool stop);
  void read_orders();
  void on_place(int link, frame_reader& frame);
  void let_stand();
  void tell_stands(bool stands);
  void on_retracted(clock::request_number number);
  void on_waits(frame_reader& frame);
  void on_undrained(frame_reader& frame);
  void on_told_to_end(const std::string& text);
  void abandon_images();
  void lose(const clock::rank_range& ranks);
  std::string end_of(int rank) const;
  ending of_lost_rank() const;

  void begin_if_asked();
  bool is_replaced() const;
  void go_on();
  void enter(step next);
  void proceed();
  void let_run_on();
  void note_on_nodes();
  void conclude();
  checkpoint_times times_so_far() const;
  void give_up(const std::string& why, ending how = ending::given_up);
  void tell_verdict(verdict_kind verdict);
  void conclude_on_nodes(const std::vector<rank_written>& images);
  void close_checkpoint(ending how, const std::string& text);
  std::string said_on_nodes() const;
  static std::string warnings_of(const std::vector<rank_written>& images);
  std::string success(const std::vector<rank_written>& images) const;
  void end_if_all_ending();
  bool all_have_come() const;
  void end(const std::string& to_clients);
  void put_back();
  void hand_over();
  void end_of_process();
  bool any_in_init() const;
  bool is_gone(int link) const;
  bool anybody_waits() const;
  std::string hurdle() const;
  void refuse_clients(const std::string& why);
  void hold_request(const std::string& why);
  void refuse_held();
  bool is_held() const noexcept { return held_until_.has_value(); }
  void answer(client& c, bool ok, const std::string& text);
  void refuse_all(const std::string& why);
  /// in: refusal  shown instead of the job's state; empty: the state is shown
  std::string status_json(const std::string& refusal = {}) const;
  void look_for_watchers();
  void tell_watchers();
  std::string progress_json() const;
  std::string too_late() const;
  std::string said_by(const clock::rank_range& ranks, const char* one, const char* many) const;
  time::duration limit() const { return seconds(around_.limit_s > 0 ? around_.limit_s : default_limit_s); }
  std::string waiting_for() const;      // a line of text for each rank that delays the end of the step

  const surroundings& around_;
  const endpoint where_;
  const bool combines_;                 // the policy's messages on their way to the coordinator
  connection orders_;
  links links_;
  progress progress_;
  std::unique_ptr<coordinator_clock> clock_;
  std::list<client> clients_;
  step step_ = step::idle;
  bool asked_ = false, asked_stop_ = false;     // for the next checkpoint; the client may have gone
  bool asked_copy_ = false;             // the same, by a client or a signal, not only by the interval
  bool anew_ = false;                   // the next checkpoint repeats one that was put back, under the same time limit
  bool joined_ = false, joined_stop_ = false;   // requested while the checkpoint under way could serve the request
  bool stop_ = false, ended_ = false;
  bool forked_ = false, local_ = false; // the checkpoint under way
  bool wants_copy_ = false;             // a client, a signal or the program asked for it
  bool copies_ = true;                  // it goes to the directory of checkpoints
  bool on_nodes_ = false;               // its images are durable there
  clock::request_number number_ = 0;    // of the last request
  std::map<int, std::string> waits_;    // by rank: the rank's reason for not ending the step
  std::uint64_t look_ = 0;              // number of the last look
  bool looks_ = false;                  // some ranks have not answered the look
  std::string told_to_end_;           // not empty: a program was told to end during the checkpoint, and by which signal
  bool abandoned_ = false;              // its images are no longer wanted
  std::string lost_;                    // not empty: a rank has gone, and the job can no longer be saved
  std::map<int, std::string> words_;    // by rank: how the rank will have ended when its connection ends
  std::vector<bool> gone_, in_init_;    // by link
  bool stands_ = false, ends_ = false, gave_way_ = false;  // before MPI_Init: all ranks are connected
  bool asked_unheard_ = false, serves_unheard_ = false;   // asked_, or the checkpoint, by a requester without an answer
  std::optional<time> held_until_;      // a request waits until ranks can be saved
  time held_since_{};
  time begun_{}, step_begun_{}, deadline_{}, next_interval_{};
  std::array<std::optional<double>, 6> took_s_;  // by step: of the newest checkpoint, as far as it has come
  std::optional<time> stop_at_;
  commit_info generation_{};
  std::uint64_t committed_ = 0, last_generation_ = 0;
  std::uint64_t last_on_nodes_ = 0;     // generation; 0: none yet
  std::optional<std::vector<std::uint64_t>> builds_on_;   // generations that all images refer to, if known
  unsigned uncopied_ = 0;               // checkpoints since the last one in the directory
  std::string last_result_;
};

}  // namespace mana::control
