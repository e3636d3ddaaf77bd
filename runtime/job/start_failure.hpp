// Why a lower half could not start or restart a program: a sentence, a remedy, and the exit status of the command.
#pragma once
#include <runtime/words/exit_status.hpp>

#include <optional>
#include <stdexcept>
#include <string>

namespace mana::job {

/// Who meets a failure, and so who has to say it.
enum class met_by {
  all,    // every rank meets the same one: rank 0 speaks
  one,    // this rank's own
};

class start_failure : public std::runtime_error {
 public:
  /// in: what    what was wrong and where, one line
  ///     remedy  what the user can do, one line; empty: what the table says of all failures with this status, if anything
  start_failure(exit_status status, const std::string& what, std::string remedy = {}, met_by who = met_by::one)
      : std::runtime_error(what),
        status_(status),
        remedy_(remedy.empty() ? remedy_of_all(status) : std::move(remedy)),
        who_(who) {}
  exit_status status() const noexcept { return status_; }
  const std::string& remedy() const noexcept { return remedy_; }
  met_by who() const noexcept { return who_; }
  /// "mana: error: …" and the remedy on a line of its own.
  std::string text() const;

 private:
  exit_status status_;
  std::string remedy_;
  met_by who_;
};

/// From now on what a launcher says in the environment is not of this process: it is a job of its own.
void be_alone() noexcept;

/// This process's rank as the launcher's environment has it; 0 where no launcher is seen (a single rank).
int rank_from_environment() noexcept;

/// How many ranks the job has, in the launcher's words; 1 where no launcher is seen. Nothing: it does not say.
std::optional<int> size_from_environment() noexcept;

/// One line to the job's stderr, written at once, so that the ranks' lines do not mix.
void say(const std::string& line) noexcept;

}  // namespace mana::job
