// Talks to a running job from outside.
#pragma once
#include <runtime/control/wire.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace mana::control {

enum class client_problem {
  no_job,         // no job file exists
  not_owner,      // the job belongs to another user
  not_answering,  // nobody listens at the file's address: the job has ended, or was killed
  timeout,        // no answer in time; the checkpoint continues
  refused,        // the job refused: the text says why
  other_mana,     // the job's mana speaks another version of the protocol
};

struct client_error : std::runtime_error {
  client_error(client_problem p, const std::string& text, std::string its_command = {})
      : std::runtime_error(text), problem(p), command(std::move(its_command)) {}
  client_problem problem;
  std::string command;      // other_mana: path of the command that started the job; empty: not known
};

/// Receives the job's progress as a JSON object; see coordinator::progress_json.
using progress_listener = std::function<void(const std::string& json)>;

/// How long a request waits for a job.
struct patience {
  double timeout_s = 0;                          // in all; 0: no limit
  double restart_s = 0;                          // for a restart of a job that was killed and left its file
  std::function<void(const std::string& what)> note = {};  // receives each thing that is waited for, once; may be empty
};

/// Asks for a checkpoint and waits until it is durable in the directory of checkpoints, or on the ranks' nodes if the
/// job writes there.
/// in:     job        job file, or the checkpoint directory that holds it
///         stop       the job ends after it
///         waits      how long to wait for a job that starts or restarts
///         listen     called every second from the third second on; may be empty
/// out:    the coordinator's line about the checkpoint: directory, size, time
/// errors: client_error
std::string request_checkpoint(const std::string& job, bool stop, const patience& waits,
                               wait_for what = wait_for::directory, const progress_listener& listen = {});

inline std::string request_checkpoint(const std::string& job, bool stop, double timeout_s, wait_for what = wait_for::directory,
                                      const progress_listener& listen = {}) {
  return request_checkpoint(job, stop, patience{timeout_s}, what, listen);
}

/// The job's state, as a JSON object; see coordinator::status_json. errors: client_error
std::string job_status(const std::string& job, double timeout_s);

}  // namespace mana::control
