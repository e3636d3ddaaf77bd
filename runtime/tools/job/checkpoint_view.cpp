#include <runtime/tools/job/checkpoint_view.hpp>

#include <runtime/tools/text/safe_name.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace mana::tools {
namespace {

std::uint64_t stored_bytes(const checkpoint_view& checkpoint) {
  return std::accumulate(checkpoint.images.begin(), checkpoint.images.end(), checkpoint.shared_bytes,
                         [](std::uint64_t sum, const image_view& image) { return sum + image.file_bytes; });
}

std::string state(const checkpoint_view& checkpoint) {
  if (checkpoint.unreadable) return "unreadable";
  if (!checkpoint.complete) return checkpoint.being_written ? "being written" : "incomplete";
  if (!is_sound(checkpoint)) return "damaged";
  if (checkpoint.failure) return "failed";
  return lacks_files(checkpoint) ? "lacks files" : "complete";
}

/// out: how the checkpoint was written, and on which others it builds
std::string written(const checkpoint_view& checkpoint) {
  if (checkpoint.builds_on.empty()) return checkpoint.mode;
  return fmt::format("{}; builds on {}", checkpoint.mode, fmt::join(checkpoint.builds_on, ", "));
}

std::string problems(const checkpoint_view& checkpoint) {
  std::string text;
  const auto add = [&](const std::string& of, const std::string& what) {
    if (!what.empty()) text += shown(fmt::format("{}{}: {}", checkpoint.directory, of, what)) + "\n";
  };
  add("", checkpoint.problem);
  for (const auto& image : checkpoint.images)
    for (const std::string& what : {image.problem, image.lacks}) add(fmt::format(", rank {}", image.rank), what);
  for (const auto& copy : checkpoint.copies) add(", shared", copy.problem);
  if (checkpoint.failure) add("", "a restart from it failed: " + *checkpoint.failure);
  for (const auto& warning : checkpoint.warnings) add("", "note: " + warning);
  return text;
}

std::string rank_lines(const checkpoint_view& checkpoint) {
  text_table table({">rank", ">image", ">memory", ">written in", ">by a writer of", "state"});
  for (const auto& image : checkpoint.images)
    table.add({fmt::to_string(image.rank), human_bytes(image.file_bytes), human_bytes(image.memory_bytes),
               image.write_s == 0 ? "" : fmt::format("{:.2f} s", image.write_s), image.writer_bytes == 0 ? "" : human_bytes(image.writer_bytes),
               !image.problem.empty() ? "damaged" : image.lacks.empty() ? "ok" : "lacks files"});
  return fmt::format("\ncheckpoint {}, {}\n{}", checkpoint.generation, shown(checkpoint.program), table.text());
}

nlohmann::ordered_json json_of(const image_view& image) {
  nlohmann::ordered_json json{
      {"rank", image.rank}, {"path", image.path},
      {"file_bytes", image.file_bytes}, {"memory_bytes", image.memory_bytes},
      {"write_s", image.write_s}, {"writer_bytes", image.writer_bytes}};
  if (!image.problem.empty()) json["problem"] = image.problem;
  if (!image.lacks.empty()) json["lacks"] = image.lacks;
  return json;
}

nlohmann::ordered_json json_of(const copy_view& copy) {
  nlohmann::ordered_json json{{"path", copy.path}, {"file_bytes", copy.bytes}};
  if (!copy.problem.empty()) json["problem"] = copy.problem;
  return json;
}

nlohmann::ordered_json json_of(const checkpoint_view& checkpoint) {
  nlohmann::ordered_json json{{"directory", checkpoint.directory}, {"generation", checkpoint.generation},
                              {"complete", checkpoint.complete},   {"sound", is_sound(checkpoint)},
                              {"unix_time_s", checkpoint.unix_time_s}, {"mpi", checkpoint.mpi},
                              {"mpi_version", checkpoint.mpi_version}, {"program", checkpoint.program},
                              {"ranks", checkpoint.ranks},         {"file_bytes", stored_bytes(checkpoint)}};
  json["state"] = state(checkpoint);
  json["mode"] = checkpoint.mode;
  json["builds_on"] = checkpoint.builds_on;
  json["phases_s"] = nlohmann::ordered_json::object();
  for (const auto& [name, seconds] : checkpoint.phases_s) json["phases_s"][name] = seconds;
  if (checkpoint.failure) json["failure"] = *checkpoint.failure;
  json["images"] = nlohmann::ordered_json::array();
  for (const auto& image : checkpoint.images) json["images"].push_back(json_of(image));
  json["copies"] = nlohmann::ordered_json::array();
  for (const auto& copy : checkpoint.copies) json["copies"].push_back(json_of(copy));
  json["warnings"] = checkpoint.warnings;
  if (!checkpoint.problem.empty()) json["problem"] = checkpoint.problem;
  return json;
}

}  // namespace

bool is_sound(const checkpoint_view& checkpoint) {
  const auto has_no_problem = [](const auto& file) { return file.problem.empty(); };
  return checkpoint.complete && checkpoint.problem.empty() && checkpoint.images.size() == checkpoint.ranks &&
         std::all_of(checkpoint.images.begin(), checkpoint.images.end(), has_no_problem) &&
         std::all_of(checkpoint.copies.begin(), checkpoint.copies.end(), has_no_problem);
}

bool lacks_files(const checkpoint_view& checkpoint) {
  return std::any_of(checkpoint.images.begin(), checkpoint.images.end(),
                     [](const image_view& image) { return !image.lacks.empty(); });
}

std::string mpi_of(const checkpoint_view& checkpoint) {
  return checkpoint.mpi_version.empty() ? checkpoint.mpi : fmt::format("{} {}", checkpoint.mpi, checkpoint.mpi_version);
}

std::string as_text(const std::vector<checkpoint_view>& checkpoints, bool details) {
  text_table table({">checkpoint", "time", "state", ">ranks", ">size", "MPI", "program", "written"});
  std::string below;
  for (const auto& checkpoint : checkpoints) {
    const bool is_known = checkpoint.ranks > 0;      // its manifest was read
    table.add({fmt::to_string(checkpoint.generation), is_known ? human_time(checkpoint.unix_time_s) : "",
               state(checkpoint), is_known ? fmt::to_string(checkpoint.ranks) : "",
               human_bytes(stored_bytes(checkpoint)), mpi_of(checkpoint),
               checkpoint.program, written(checkpoint)});
    if (details && is_known) below += rank_lines(checkpoint);
    below += problems(checkpoint);
  }
  return table.text() + below;
}

std::string as_json(const std::vector<checkpoint_view>& checkpoints) {
  nlohmann::ordered_json json{{"schema", checkpoint_schema}};
  json["checkpoints"] = nlohmann::ordered_json::array();
  for (const auto& checkpoint : checkpoints) json["checkpoints"].push_back(json_of(checkpoint));
  // A path may contain bytes that are not UTF-8: U+FFFD replaces them, and no exception is thrown.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mana::tools
