// An image's report, for programs.
#include <runtime/tools/look/image_report.hpp>
#include <runtime/tools/memory/descriptor_words.hpp>

namespace mana::tools {
namespace {

using json = nlohmann::ordered_json;

json json_of(const memory_amount& a) {
  return {{"regions", a.regions},         {"mapped_bytes", a.mapped},    {"kept_bytes", a.kept},
          {"zero_bytes", a.mapped - a.kept}, {"elsewhere_bytes", a.elsewhere}, {"stored_bytes", a.stored},
          {"ratio", a.ratio()}};
}

json json_of(const memory_group& group) {
  json shown{{"kind", name_of(group.kind)}};
  shown.update(json_of(group.all));
  shown["parts"] = json::array();
  for (const auto& [name, amount] : group.by_name) {
    json part{{"name", name}};
    part.update(json_of(amount));
    shown["parts"].push_back(std::move(part));
  }
  return shown;
}

json json_of(const region_line& r) {
  json shown{{"begin", r.region.begin},   {"end", r.region.end},   {"protection", r.region.protection},
             {"shared", r.region.shared}, {"path", r.region.path}, {"offset", r.region.offset},
             {"kind", name_of(r.what.kind)}, {"name", r.what.name}};
  shown.update(json_of(r.amount));
  return shown;
}

json json_of(const thread_line& t) {
  return {{"tid", t.thread.tid},
          {"main", t.thread.is_main},
          {"name", t.name},
          {"instruction_pointer", t.thread.registers.rip},
          {"stack_pointer", t.thread.registers.rsp},
          {"function", t.function}};
}

json json_of(const source_line& s) {
  return {{"generation", s.generation}, {"file", s.file}, {"memory_bytes", s.memory_bytes}};
}

template <class List>
json list_of(const List& list) {
  json shown = json::array();
  for (const auto& each : list) shown.push_back(json_of(each));
  return shown;
}

json sizes_of(const std::vector<std::pair<std::string, std::uint64_t>>& pairs) {
  json shown = json::object();
  for (const auto& [name, bytes] : pairs) shown[name] = bytes;
  return shown;
}

}  // namespace

json as_json(const image_report& r, bool regions) {
  json shown{{"path", r.path},
             {"rank", r.rank},
             {"ranks", r.world_size},
             {"format", r.format},
             {"file_bytes", r.file_bytes},
             {"mpi", r.mpi},
             {"mpi_version", r.mpi_version},
             {"program", r.program},
             {"arguments", r.arguments},
             {"directory", r.directory},
             {"cpu", r.cpu},
             {"mode", r.mode},
             {"packed_by", sizes_of(r.packed_by)}};
  shown["memory"] = list_of(r.memory);
  shown["total"] = json_of(r.total);
  if (regions) shown["regions"] = list_of(r.regions);
  shown["threads"] = list_of(r.threads);
  shown["descriptors"] = json::array();
  if (r.descriptors.is_array())
    for (const auto& row : r.descriptors) shown["descriptors"].push_back(json_of_descriptor(row));
  shown["builds_on"] = list_of(r.builds_on);
  shown["sections"] = sizes_of(r.sections);
  if (!r.mpi_objects.is_null()) shown["mpi_objects"] = r.mpi_objects;
  if (!r.needs.is_null()) shown["needs"] = r.needs;
  shown["problems"] = r.problems;
  return shown;
}

}  // namespace mana::tools
