// The commands for a running job: checkpoint, status.
#include <runtime/tools/job/checkpoint_progress.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/json_text.hpp>
#include <runtime/tools/text/progress_output.hpp>
#include <runtime/tools/text/safe_name.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <runtime/control/client.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <utility>

namespace mana::tools {
namespace {

std::string place_of(const job_reference& job) { return job.file.empty() ? job.checkpoint_directory : job.file; }

[[noreturn]] void fail_request(const control::client_error& error) {
  using control::client_problem;
  switch (error.problem) {
    case client_problem::no_job:
      throw failure(exit_status::no_job, std::string("no such job: ") + error.what(),
                    "name the job's directory with --ckpt-dir, or its file with --job; after the end of its rank 0 a "
                    "job has no file");
    case client_problem::not_owner:
      throw failure(exit_status::not_owner, error.what(), "ask the owner: only the owner of a job may send it "
                                                          "requests");
    case client_problem::not_answering:
      throw failure(exit_status::job_ended, error.what(), "list its checkpoints: mana list");
    case client_problem::timeout:
      throw failure(exit_status::no_answer, error.what(), "see what it waits for: mana status");
    case client_problem::other_mana:
      throw failure(exit_status::other_mana, error.what(),
                    "use the mana that started the job" + (error.command.empty() ? "" : ": " + error.command));
    case client_problem::refused: break;
  }
  throw failure(exit_status::not_saved, std::string("no checkpoint: ") + error.what());
}

std::string as_people_read(const nlohmann::json& status) {
  text_table table({"", ""});
  table.add({"program", status["program"]});
  table.add({"ranks", std::to_string(status["ranks"].get<int>())});
  table.add({"coordinator", status["host"]});
  table.add({"stage", status.value("stage", "in MPI")});
  std::string phase = status["phase"];
  if (status.contains("phase_seconds")) phase += fmt::format(" for {}", human_seconds(status["phase_seconds"]));
  table.add({"phase", phase});
  table.add({"checkpoints", std::to_string(status["checkpoints"].get<int>())});
  if (status.contains("last_generation_on_nodes")) {
    const auto named = [](std::uint64_t generation) { return generation == 0 ? "none yet" : std::to_string(generation); };
    table.add({"on the nodes", named(status["last_generation_on_nodes"])});
    table.add({"in the directory", named(status["last_generation"])});
  }
  table.add({"last", status["last_result"].get<std::string>().empty() ? "none yet" : status["last_result"]});
  std::string took;
  for (const auto& [phase_name, seconds] : status["seconds_by_phase"].items())
    took += fmt::format("{}{} {:.3f} s", took.empty() ? "" : ", ", phase_name, seconds.get<double>());
  if (!took.empty()) table.add({"took", took});
  table.add({"directory", status["directory"]});
  std::string text = table.text();
  if (status.contains("waiting_for")) text += fmt::format("waiting for:\n{}", shown_lines(status["waiting_for"].get<std::string>()));
  return text;
}

/// A killed job may be restarting: how long the command waits for the restarted job to answer.
constexpr double restart_is_seen_s = 5;

/// Prints once about each rank that the checkpoint waits for, so that the line is also in a log file of the command.
class waiting_words {
 public:
  void hear(const std::string& json) {
    const auto status = nlohmann::json::parse(json);
    if (status["phase"] != "running" || !status.contains("waiting_for")) return;
    const std::string who = status["waiting_for"];
    if (!who.empty() && std::exchange(said_, who) != who) fmt::print(stderr, "mana: the checkpoint waits:\n{}", shown_lines(who));
  }

 private:
  std::string said_;
};

/// Asks for a checkpoint. If it takes long, prints its progress on standard error.
std::string ask_for_checkpoint(const checkpoint_command& wanted) {
  const auto what = wanted.wait == "local" ? control::wait_for::nodes : control::wait_for::directory;
  progress_output output("checkpoint", wanted.progress);
  const control::progress_listener listen = [say = output.sink(), words = checkpoint_progress(), waits = waiting_words(),
                                             begin = std::chrono::steady_clock::now()](const std::string& json) mutable {
    if (say) say(words.line(json, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
    else waits.hear(json);
  };
  const control::patience waits{wanted.timeout_s, restart_is_seen_s,
                                [](const std::string& text) { fmt::print(stderr, "mana: {}\n", shown_lines(text)); }};
  return control::request_checkpoint(place_of(wanted.job), wanted.stop, waits, what, listen);
}

std::string with_schema(const std::string& status) {
  nlohmann::ordered_json json{{"schema", status_schema}};
  json.update(nlohmann::ordered_json::parse(status));
  return text_of(json);
}

}  // namespace

int take_checkpoint(const checkpoint_command& wanted) {
  try {
    fmt::print("{}\n", shown_lines(ask_for_checkpoint(wanted)));
    return 0;
  } catch (const control::client_error& error) {
    fail_request(error);
  }
}

int show_status(const status_command& wanted) {
  try {
    const std::string text = control::job_status(place_of(wanted.job), 10);
    if (wanted.json) fmt::print("{}", with_schema(text));
    else fmt::print("{}", as_people_read(nlohmann::json::parse(text)));
    return 0;
  } catch (const control::client_error& error) {
    fail_request(error);
  }
}

}  // namespace mana::tools
