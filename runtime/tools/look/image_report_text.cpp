// An image's report, for people: an indented tree.
#include <runtime/tools/look/image_report.hpp>
#include <runtime/tools/memory/descriptor_words.hpp>
#include <runtime/tools/text/safe_name.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/mman.h>

#include <optional>

namespace mana::tools {
namespace {

std::vector<std::string> cells_of(const std::string& name, const memory_amount& a) {
  return {name, human_bytes(a.mapped), human_bytes(a.kept), human_bytes(a.mapped - a.kept), human_bytes(a.elsewhere),
          human_bytes(a.stored), a.stored == 0 ? "" : fmt::format("{:.2f}", a.ratio())};
}

/// As in /proc/PID/maps.
std::string protection_of(const image::region& r) {
  return {(r.protection & PROT_READ) != 0 ? 'r' : '-', (r.protection & PROT_WRITE) != 0 ? 'w' : '-',
          (r.protection & PROT_EXEC) != 0 ? 'x' : '-', r.shared ? 's' : 'p'};
}

/// in: by  the indentation of each line
std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += by + text.substr(at, end - at) + "\n";
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return out;
}

std::string memory_text(const image_report& report) {
  text_table table({"memory", ">mapped", ">kept", ">zero", ">elsewhere", ">stored", ">ratio"});
  for (const memory_group& group : report.memory) {
    table.add(cells_of(name_of(group.kind), group.all));
    for (const auto& [name, amount] : group.by_name) table.add(cells_of("  " + name, amount));
  }
  table.add(cells_of("all", report.total));
  return table.text();
}

std::string regions_text(const image_report& report) {
  text_table table({fmt::format("regions: {}", report.regions.size()), "",
                    ">mapped", ">kept", ">stored", "kind", "name"});
  for (const region_line& r : report.regions)
    table.add({fmt::format("  {:#x}-{:#x}", r.region.begin, r.region.end), protection_of(r.region),
               human_bytes(r.amount.mapped), human_bytes(r.amount.kept), human_bytes(r.amount.stored),
               name_of(r.what.kind), r.what.name});
  return table.text();
}

/// Describes the thread that runs checkpoints.
const char* main_thread_of(const image_report& report) {
  return report.mpi_version.empty() ? " (takes checkpoints)" : " (called MPI_Init)";
}

std::string threads_text(const image_report& report) {
  text_table table({fmt::format("threads: {}", report.threads.size()), "name", ">at", "in"});
  for (const thread_line& t : report.threads)
    table.add({fmt::format("  {}{}", t.thread.tid, t.thread.is_main ? main_thread_of(report) : ""), t.name,
               fmt::format("{:#x}", t.thread.registers.rip), t.function});
  return table.text();
}

std::string descriptors_text(const image_report& report) {
  if (!report.descriptors.is_array()) return {};
  text_table table({fmt::format("descriptors: {}", report.descriptors.size()), "kind", "what", "how"});
  for (const auto& row : report.descriptors) {
    const descriptor_words words = words_of(row, report.descriptors);
    const std::string number = row.contains("fd") ? row["fd"].dump() : "?";
    table.add({"  " + number, words.kind, words.what, words.details});
  }
  return table.text();
}

std::string sources_text(const image_report& report) {
  std::string text;
  for (const source_line& s : report.builds_on)
    text += fmt::format("  {}: {} in {}\n", s.generation == 0 ? "file" : fmt::format("checkpoint {}", s.generation),
                        human_bytes(s.memory_bytes), shown(s.file));
  return text.empty() ? text : "builds on\n" + text;
}

std::string mpi_text(const image_report& report) {
  if (!report.mpi_objects.is_object() || report.mpi_version.empty()) return {};
  text_table table({"MPI objects", ">number"});
  for (const auto& [name, number] : report.mpi_objects.items())
    table.add({"  " + name, number.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
  return table.text();
}

/// A member of a document that anybody may have written: nothing if it has another type.
template <class T>
std::optional<T> member_of(const nlohmann::json& document, const char* name) {
  try {
    return document.at(name).get<T>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// The needs of a restart that a live MPI may lack; empty: it has none.
std::string needs_text(const nlohmann::json& needs) {
  if (!needs.is_object()) return {};
  text_table table({"needs of its live MPI", "what"});
  bool is_empty = true;
  const auto add = [&](const char* name, std::string what) {
    is_empty = false;
    table.add({name, std::move(what)});
  };
  if (const auto told = member_of<std::int64_t>(needs, "told tag bound").value_or(0); told != 0)
    add("  MPI_TAG_UB, as told", std::to_string(told));
  if (const auto tag = member_of<std::int64_t>(needs, "largest tag").value_or(0); tag != 0)
    add("  largest tag under way", std::to_string(tag));
  if (member_of<bool>(needs, "large counts").value_or(false)) add("  counts that no int holds", "yes");
  for (const auto& object : member_of<nlohmann::json::array_t>(needs, "predefined").value_or(nlohmann::json::array_t()))
    if (const auto name = member_of<std::string>(object, "name"))
      add(member_of<bool>(object, "under way").value_or(false) ? "  under way" : "  in a datatype", *name);
  return is_empty ? std::string() : table.text();
}

std::string packing_words(const image_report& report) {
  std::vector<std::string> words;
  for (const auto& [codec, bytes] : report.packed_by) words.push_back(fmt::format("{} {}", codec, human_bytes(bytes)));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string head_text(const image_report& report) {
  text_table table({"", ""});
  const auto add = [&table](const char* name, const std::string& value) {
    if (!value.empty()) table.add({name, value});
  };
  add("rank", fmt::format("{} of {}", report.rank, report.world_size));
  add("program", report.program);
  add("words", fmt::format("{}", fmt::join(report.arguments, " ")));
  add("directory", report.directory);
  add("MPI", report.mpi_version.empty() ? report.mpi : report.mpi + " " + report.mpi_version);
  add("processor", report.cpu);
  add("written", report.mode);
  add("packed", packing_words(report));
  add("file", fmt::format("{}, format {}", human_bytes(report.file_bytes), report.format));
  return table.text().substr(1);       // without headings
}

}  // namespace

std::string as_text(const image_report& report, bool regions) {
  std::string text = shown(report.path) + "\n" + indented(head_text(report), "  ");
  for (const std::string& part : {memory_text(report), regions ? regions_text(report) : "", threads_text(report),
                                  descriptors_text(report), mpi_text(report), needs_text(report.needs), sources_text(report)})
    if (!part.empty()) text += "\n" + indented(part, "  ");
  for (const std::string& problem : report.problems) text += shown(fmt::format("{}: {}", report.path, problem)) + "\n";
  return text;
}

}  // namespace mana::tools
