// The reason why a lower half could not start or restart a program: a sentence, a remedy, and the command's exit
// status.
#pragma once
#include <runtime/words/exit_status.hpp>

#include <optional>
#include <stdexcept>
#include <string>

namespace mana::job {

/// Which ranks meet a failure, which decides who prints it.
enum class met_by {
  all,    // every rank meets the same failure: rank 0 prints it
  one,    // this rank's own
};

class start_failure : public std::runtime_error {
 public:
  /// in: what    what went wrong and where, one line
  ///     remedy  what the user can do, one line; empty: the table's remedy for this status, if it has one
  start_failure(exit_status status, const std::string& what, std::string remedy = {}, met_by who = met_by::one)
      : std::runtime_error(what),
        status_(status),
        remedy_(remedy.empty() ? remedy_of_all(status) : std::move(remedy)),
        who_(who) {}
  exit_status status() const noexcept { return status_; }
  const std::string& remedy() const noexcept { return remedy_; }
  met_by who() const noexcept { return who_; }
  /// out: "mana: error: …", and the remedy on its own line
  std::string text() const;

 private:
  exit_status status_;
  std::string remedy_;
  met_by who_;
};

/// From now on this process is a job of its own: the launcher's variables in the environment do not count.
void be_alone() noexcept;

/// out: this process's rank in the launcher's environment; 0 if no launcher is seen (a single rank)
int rank_from_environment() noexcept;

/// out: the number of ranks in the launcher's environment; 1 if no launcher is seen; nothing if the launcher does not
///      say
std::optional<int> size_from_environment() noexcept;

/// Prints one line to the job's stderr in one write, so that lines of different ranks do not mix.
void say(const std::string& line) noexcept;

}  // namespace mana::job
