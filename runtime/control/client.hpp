// Talking to a running job from outside.
#pragma once
#include <runtime/control/wire.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace mana::control {

enum class client_problem {
  no_job,         // no job file there
  not_owner,      // the job belongs to another user
  not_answering,  // nobody listens where the file says: the job has ended, or was killed
  timeout,        // no answer in time; the checkpoint goes on
  refused,        // the job answered that it cannot: the text says why
  other_mana,     // the job is of a mana that speaks another version of the protocol
};

struct client_error : std::runtime_error {
  client_error(client_problem p, const std::string& text, std::string its_command = {})
      : std::runtime_error(text), problem(p), command(std::move(its_command)) {}
  client_problem problem;
  std::string command;      // other_mana: path of the one that started the job; empty: not known
};

/// How far the job is, as a JSON object; see coordinator::progress_json.
using progress_listener = std::function<void(const std::string& json)>;

/// What a request that waits for a job goes by.
struct patience {
  double timeout_s = 0;                          // for all; 0: no limit
  double restart_s = 0;                          // for a restart of a job that was killed: its file is there still
  std::function<void(const std::string& what)> note = {};    // is told what is waited for, once for each; may be empty
};

/// Asks for a checkpoint and waits until it is durable: in the directory of checkpoints, or on the ranks' nodes, where the job
/// writes there.
/// in:     job        job file, or the checkpoint directory that holds it
///         stop       the job ends after it
///         waits      a job that starts, or starts again, is waited for
///         listen     is called every second, from the third on; empty: nobody listens
/// out:    the coordinator's line about it: directory, size, time
/// errors: client_error
std::string request_checkpoint(const std::string& job, bool stop, const patience& waits,
                               wait_for what = wait_for::directory, const progress_listener& listen = {});

inline std::string request_checkpoint(const std::string& job, bool stop, double timeout_s, wait_for what = wait_for::directory,
                                      const progress_listener& listen = {}) {
  return request_checkpoint(job, stop, patience{timeout_s}, what, listen);
}

/// What the job is doing, as a JSON object; see coordinator::status_json. errors: client_error
std::string job_status(const std::string& job, double timeout_s);

}  // namespace mana::control
