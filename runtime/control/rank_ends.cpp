// A program is told to end while a checkpoint is under way.
//
// INV-66 whatever a checkpoint is at, a signal that tells the program to end acts as natively, at once or as soon as
// the threads are released. The release has no delay. If the program does not handle the signal, the kernel ends the
// process. If it does, its rank reports so, and the coordinator gives the checkpoint up, as long as any rank is held. A
// request that waits for the next checkpoint is refused: it would hold the program again.
#include <runtime/control/coordinator.hpp>
#include <runtime/control/rank_control.hpp>

#include <algorithm>

namespace mana::control {

namespace {

struct named_signal { int number; const char* name; };
constexpr named_signal names[] = {{1, "SIGHUP"}, {2, "SIGINT"}, {3, "SIGQUIT"}, {15, "SIGTERM"}, {24, "SIGXCPU"}};

std::string name_of(int signal) {
  const auto at = std::find_if(std::begin(names), std::end(names), [=](const named_signal& s) { return s.number == signal; });
  return at == std::end(names) ? "signal " + std::to_string(signal) : at->name;
}

}  // namespace

/// Once for each checkpoint.
void rank_control::on_end_signal() {
  const int signal = around_.told_to_end();
  if (signal == 0) return;
  around_.watch_ends(false);
  tell_of_end(signal);
}

void rank_control::tell_of_end(int signal) {
  tell(frame_writer(frame_type::told_to_end)
           .put("rank " + std::to_string(around_.rank) + " got " + name_of(signal) +
                ", which the program handles: the checkpoint was given up so that the program can react")
           .take());
}

/// If nothing holds the program, the text is kept for as long as images are written: the program may reach
/// MPI_Finalize, which would wait for them. A checkpoint by the interval would come at the wrong time.
void coordinator::on_told_to_end(const std::string& text) {
  if (around_.interval_s > 0) next_interval_ = std::chrono::steady_clock::now() + seconds(around_.interval_s);
  if (step_ == step::idle || !told_to_end_.empty()) return;
  told_to_end_ = text;
  if (step_ == step::quiescing || step_ == step::parking) return give_up(text);
  if (step_ == step::draining || step_ == step::writing) abandon_images();
  if (step_ == step::draining) give_up(text);
}

/// Ranks that have not written report so, and the verdict releases all ranks.
void coordinator::abandon_images() {
  if (std::exchange(abandoned_, true)) return;
  links_.send_all(frame_writer(frame_type::abandon).take());
}

}  // namespace mana::control
