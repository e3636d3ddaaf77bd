// The difference of two images, for people and for programs.
#include <runtime/tools/look/image_difference.hpp>
#include <runtime/tools/text/safe_name.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <fmt/format.h>

namespace mana::tools {
namespace {

using json = nlohmann::ordered_json;

const char* name_of(presence where) noexcept {
  switch (where) {
    case presence::both: return "both";
    case presence::first_only: return "first";
    case presence::second_only: return "second";
  }
  return "";
}

const char* change_of(const region_difference& r) noexcept {
  if (r.where == presence::first_only) return "only in the first";
  if (r.where == presence::second_only) return "only in the second";
  return r.mapped_otherwise ? "mapped otherwise" : "";
}

std::string as_text(address_range r) { return fmt::format("{:#x}-{:#x}", r.begin, r.end); }

json json_of(address_range r) { return {{"begin", r.begin}, {"end", r.end}}; }

json json_of(const region_difference& r) {
  json shown = json_of(r.at);
  shown["kind"] = name_of(r.what.kind);
  shown["name"] = r.what.name;
  shown["in"] = name_of(r.where);
  shown["mapped_otherwise"] = r.mapped_otherwise;
  shown["differing_bytes"] = r.bytes();
  shown["pages"] = json::array();
  for (const address_range& pages : r.pages) shown["pages"].push_back(json_of(pages));
  return shown;
}

std::string sections_text(const image_difference& d) {
  std::string text;
  for (const section_difference& s : d.sections)
    text += fmt::format("  section \"{}\" {}\n", shown(s.name),
                        s.where == presence::both         ? "differs"
                        : s.where == presence::first_only ? "is only in the first"
                                                          : "is only in the second");
  return text;
}

}  // namespace

std::string as_text(const image_difference& d, bool pages) {
  std::string text = fmt::format("rank {}: {}\n", d.rank, d.is_none() ? "no difference"
                                 : fmt::format("{} of {} differ", human_bytes(d.differing_bytes()),
                                               human_bytes(d.compared_bytes)));
  text += sections_text(d);
  if (d.regions.empty()) return text;
  text_table table({"  region", "kind", ">differs", ">of", "", "name"});
  for (const region_difference& r : d.regions) {
    table.add({"  " + as_text(r.at), name_of(r.what.kind), human_bytes(r.bytes()), human_bytes(r.at.bytes()),
               change_of(r), r.what.name});
    for (const address_range& range : r.pages)
      if (pages) table.add({"    " + as_text(range), "", human_bytes(range.bytes())});
  }
  return text + table.text();
}

nlohmann::ordered_json as_json(const image_difference& d) {
  json shown{{"rank", d.rank},
             {"first", d.first},
             {"second", d.second},
             {"equal", d.is_none()},
             {"compared_bytes", d.compared_bytes},
             {"read_bytes", d.read_bytes},
             {"differing_bytes", d.differing_bytes()}};
  shown["sections"] = json::array();
  for (const section_difference& s : d.sections)
    shown["sections"].push_back({{"name", s.name}, {"in", name_of(s.where)}});
  shown["regions"] = json::array();
  for (const region_difference& r : d.regions) shown["regions"].push_back(json_of(r));
  return shown;
}

}  // namespace mana::tools
