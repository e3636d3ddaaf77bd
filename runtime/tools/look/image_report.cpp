#include <runtime/tools/look/image_report.hpp>

#include <mana/gen/function_tags.hpp>
#include <mana/image/section_table.hpp>

#include <runtime/files/image_error.hpp>
#include <runtime/files/read_document.hpp>
#include <runtime/image/format/saving_section.hpp>
#include <runtime/image/read/chunk_reader.hpp>
#include <runtime/job/run_record.hpp>
#include <runtime/job/sections/mpi.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

namespace mana::tools {

namespace sections = image::sections;

void memory_amount::add(const memory_amount& other) noexcept {
  regions += other.regions;
  mapped += other.mapped;
  kept += other.kept;
  stored += other.stored;
  unpacked += other.unpacked;
  elsewhere += other.elsewhere;
}

double memory_amount::ratio() const noexcept {
  return stored == 0 ? 0 : static_cast<double>(unpacked) / static_cast<double>(stored);
}

namespace {

/// If several records show the same stored chunk, the chunk counts for the first record.
std::vector<memory_amount> amounts_of(const image::contents& about) {
  std::vector<memory_amount> all;
  for (const image::region& r : about.regions) all.push_back({1, r.end - r.begin, 0, 0, 0, 0});
  std::set<std::uint64_t> seen;
  std::size_t at = 0;
  for (const image::chunk_record& c : about.chunks) {
    while (about.regions[at].end <= c.address) ++at;           // both lists ascend
    memory_amount& amount = all[at];
    amount.kept += c.memory_bytes;
    if (c.source != 0) {
      amount.elsewhere += c.memory_bytes;
    } else if (seen.insert(c.offset).second) {
      amount.stored += c.stored_bytes;
      amount.unpacked += c.unpacked_bytes;
    }
  }
  return all;
}

void take_memory(const saved_memory& memory, const std::vector<saved_thread>& threads, image_report& report) {
  const auto identities = identify(memory, threads);
  const auto amounts = amounts_of(memory.about());
  std::map<memory_kind, std::pair<memory_amount, std::map<std::string, memory_amount>>> kinds;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    auto& [all, names] = kinds[identities[i].kind];
    all.add(amounts[i]);
    if (!identities[i].name.empty()) names[identities[i].name].add(amounts[i]);
    report.total.add(amounts[i]);
    report.regions.push_back({memory.about().regions[i], identities[i], amounts[i]});
  }
  for (const auto& [kind, found] : kinds) {
    memory_group group{kind, found.first, {found.second.begin(), found.second.end()}};
    std::stable_sort(group.by_name.begin(), group.by_name.end(),
                     [](const auto& a, const auto& b) { return a.second.mapped > b.second.mapped; });
    report.memory.push_back(std::move(group));
  }
}

const char* name_of_codec(std::uint8_t codec) noexcept {
  switch (static_cast<image::codec>(codec)) {
    case image::codec::none: return "none";
    case image::codec::lz4: return "lz4";
    case image::codec::zstd: return "zstd";
  }
  return "unknown";
}

void take_chunks(const image::contents& about, image_report& report) {
  std::map<std::string, std::uint64_t> codecs;
  std::vector<std::uint64_t> given(about.sources.size() + 1, 0);
  for (const image::chunk_record& c : about.chunks) {
    given[c.source] += c.memory_bytes;
    if (c.source == 0) codecs[name_of_codec(c.codec)] += c.memory_bytes;
  }
  report.packed_by.assign(codecs.begin(), codecs.end());
  for (std::size_t n = 0; n < about.sources.size(); ++n)
    report.builds_on.push_back(
        {about.sources[n].generation, image::path_of(about.sources[n], report.path), given[n + 1]});
}

void take_run(const image::section& s, image_report& report) {
  const job::run_record record = job::decode_run_record(s.bytes);
  report.mpi = record.mpi_name;
  report.mpi_version = record.mpi_version;
  report.program = record.program;
  report.directory = record.directory;
  report.cpu = record.cpu;
  report.arguments = record.arguments;
}

std::string function_of(std::uint32_t id) {
  return id == 0 || id >= std::size(function_names) ? std::string() : function_names[id];
}

/// in: process  the section "process"; null if the image has none
void take_threads(const std::vector<saved_thread>& threads, const nlohmann::json& process, image_report& report) {
  report.threads.clear();
  for (const saved_thread& t : threads) {
    const std::string index = std::to_string(t.index);
    std::string name;
    if (process.contains("threads") && process["threads"].contains(index))
      name = process["threads"][index].value("name", "");
    report.threads.push_back({t, std::move(name), function_of(t.function)});
  }
}

/// Calls `take` with a section, if the image has it. An exception becomes a problem of this part alone.
template <class Take>
void with_section(const saved_memory& memory, const char* name, image_report& report, Take take) {
  const image::section* const s = memory.section(name);
  if (s == nullptr) return;
  try {
    take(*s);
  } catch (const std::exception& error) {
    report.problems.push_back("the section \"" + std::string(name) + "\" cannot be read: " + error.what());
  }
}

/// Rows of files without a name get the stored part of their contents.
nlohmann::json descriptors_with_objects(const nlohmann::json& document) {
  nlohmann::json rows = document.at("descriptors");
  const nlohmann::json objects = document.value("objects", nlohmann::json::array());
  for (nlohmann::json& row : rows)
    for (const nlohmann::json& object : objects) {
      if (!row.contains("object") || row["object"] != object.at("key")) continue;
      for (const char* name : {"data", "unread"})
        if (object.contains(name)) row[name] = object[name];
    }
  return rows;
}

std::uint64_t bytes_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw files::image_error(files::error_kind::io, path + ": " + error.message());
  return bytes;
}

}  // namespace

image_report look_at_image(const std::string& path) {
  const saved_memory memory(path);
  const image::contents& about = memory.about();
  image_report report;
  report.path = path;
  report.rank = about.header.rank;
  report.world_size = about.header.world_size;
  report.format = about.header.version;
  report.file_bytes = bytes_of(path);
  const auto threads = threads_of(memory);
  take_memory(memory, threads, report);
  take_chunks(about, report);
  nlohmann::json process;
  with_section(memory, sections::run, report, [&](const image::section& s) { take_run(s, report); });
  with_section(memory, sections::process, report,
               [&](const image::section& s) { process = files::read_document(s.bytes); });
  with_section(memory, sections::process, report,
               [&](const image::section&) { take_threads(threads, process, report); });
  if (report.threads.size() != threads.size()) take_threads(threads, nullptr, report);
  with_section(memory, sections::descriptors, report, [&](const image::section& s) {
    report.descriptors = descriptors_with_objects(files::read_document(s.bytes));
  });
  with_section(memory, sections::saving, report,
               [&](const image::section&) { report.mode = image::mode_of(about); });
  with_section(memory, sections::mpi, report,
               [&](const image::section& s) { report.mpi_objects = job::decode_inventory(s.bytes); });
  with_section(memory, sections::needs, report,
               [&](const image::section& s) { report.needs = files::read_document(s.bytes); });
  for (const image::section& s : about.sections) report.sections.emplace_back(s.name, s.bytes.size());
  return report;
}

}  // namespace mana::tools
