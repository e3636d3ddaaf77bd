// `mana extract`: writes parts of an image to files.
#include <runtime/tools/memory/core_file.hpp>
#include <runtime/tools/memory/image_choice.hpp>
#include <runtime/tools/memory/memory_kinds.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/options/option_checks.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/image_failure.hpp>
#include <runtime/tools/text/interruption.hpp>
#include <runtime/tools/text/json_text.hpp>
#include <runtime/tools/text/new_file.hpp>
#include <runtime/tools/text/progress_output.hpp>
#include <runtime/tools/text/safe_name.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace mana::tools {
namespace {

struct made_file {
  std::string path;
  std::uint64_t bytes = 0;
};

made_file extract_bytes(const image::section& s, const std::string& path) {
  new_file file(path);
  file.write(0, {reinterpret_cast<const char*>(s.bytes.data()), s.bytes.size()});
  file.finish(s.bytes.size());
  return {path, s.bytes.size()};
}

made_file extract_section(const saved_memory& memory, const std::string& name, const std::string& path) {
  if (const image::section* const s = memory.section(name)) return extract_bytes(*s, path);
  std::vector<std::string> names;
  for (const image::section& s : memory.about().sections) names.push_back(s.name);
  throw failure(exit_status::usage, fmt::format("{}: there is no section \"{}\"", memory.path(), name),
                fmt::format("it has {}", fmt::join(names, ", ")));
}

/// Extracts mapped memory. Pages of zeros are holes in the file.
made_file extract_memory(const saved_memory& memory, address_range r, const std::string& path) {
  new_file file(path);
  const auto& chunks = memory.about().chunks;
  for (std::size_t n = memory.chunk_behind(r.begin); n < chunks.size() && chunks[n].address < r.end; ++n) {
    const std::span<const char> bytes = memory.chunk(n);
    const std::uintptr_t from = std::max(r.begin, chunks[n].address);
    const std::uintptr_t to = std::min(r.end, chunks[n].address + bytes.size());
    file.write(from - r.begin, bytes.subspan(from - chunks[n].address, to - from));
  }
  file.finish(r.bytes());
  return {path, r.bytes()};
}

void require_mapped(const saved_memory& memory, address_range r) {
  for (std::uintptr_t at = r.begin; at < r.end;) {
    const image::region* const region = memory.region_at(at);
    if (region == nullptr)
      throw failure(exit_status::usage, fmt::format("{}: nothing was mapped at {:#x}", memory.path(), at),
                    "list the regions: mana inspect --regions");
    at = region->end;
  }
}

made_file extract_core(const saved_memory& memory, const std::string& path) {
  new_file file(path);
  const std::uint64_t bytes = write_core(memory, file);
  file.finish(bytes);
  return {path, bytes};
}

std::string name_of_region(const image::region& r, const region_identity& what) {
  const std::string name = safe_name(what.name.substr(what.name.find_last_of('/') + 1));
  return fmt::format("{:012x}-{:012x}-{}{}{}", r.begin, r.end, safe_name(name_of(what.kind)), name.empty() ? "" : "-", name);
}

/// Makes a new directory with a file for each section and each region.
std::vector<made_file> extract_all(const saved_memory& memory, const std::string& directory) {
  new_directory made_in(directory);
  std::vector<made_file> made;
  const auto add = [&](const std::string& name, auto&& make) {
    made.push_back({directory + "/" + name, make(made_in.place() + "/" + name).bytes});
  };
  for (const image::section& s : memory.about().sections)
    add("section-" + safe_name(s.name), [&s](const std::string& path) { return extract_bytes(s, path); });
  const auto kinds = identify(memory, threads_of(memory));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const image::region& r = memory.about().regions[i];
    add(name_of_region(r, kinds[i]), [&](const std::string& path) { return extract_memory(memory, {r.begin, r.end}, path); });
  }
  made_in.finish();
  return made;
}

std::vector<made_file> extract_wanted(const saved_memory& memory, const extract_command& wanted) {
  if (!wanted.section.empty()) return {extract_section(memory, wanted.section, wanted.output)};
  if (wanted.core) return {extract_core(memory, wanted.output)};
  if (wanted.all) return extract_all(memory, wanted.output);
  require_mapped(memory, wanted.range);
  return {extract_memory(memory, wanted.range, wanted.output)};
}

/// out: the bytes of memory that the command will read
std::uint64_t bytes_wanted(const saved_memory& memory, const extract_command& wanted) {
  std::uint64_t bytes = 0;
  if (!wanted.section.empty()) return bytes;
  for (const image::chunk_record& c : memory.about().chunks)
    if (wanted.core || wanted.all || (c.address < wanted.range.end && wanted.range.begin < c.address + c.memory_bytes))
      bytes += c.memory_bytes;
  return bytes;
}

std::vector<made_file> extract_from(const chosen_image& image, const extract_command& wanted) {
  progress_output output("extract", wanted.progress);
  const saved_memory memory(image.path, [&output](std::uint64_t bytes) { output.add(0, bytes); }, path_map_of(wanted.moved));
  output.begin({{fmt::format("rank {}", image.rank), bytes_wanted(memory, wanted), 0}});
  return extract_wanted(memory, wanted);
}

/// If a signal ends the command, its incomplete files are removed first.
std::vector<made_file> extract_or_end(const chosen_image& image, const extract_command& wanted) {
  try {
    const interruption signals;
    return extract_from(image, wanted);
  } catch (const files::image_error& error) {
    fail(error);
  } catch (const interrupted& by) {
    interruption::end_by(by.signal());
  }
}

const chosen_image& only_one(const chosen& images) {
  if (images.images.size() == 1) return images.images[0];
  throw failure(exit_status::usage,
                fmt::format("{}: it has the images of {} ranks", images.directory, images.images.size()),
                "name one with --rank");
}

}  // namespace

int extract(const extract_command& wanted) {
  const chosen images = choose_images(wanted.what, wanted.rank);
  const chosen_image& image = only_one(images);
  require_own(images);
  const std::vector<made_file> made = extract_or_end(image, wanted);
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const made_file& file : made) {
    files.push_back({{"path", file.path}, {"bytes", file.bytes}});
    if (!wanted.json) fmt::print("{}: {}\n", shown(file.path), human_bytes(file.bytes));
  }
  if (wanted.json) fmt::print("{}", text_of({{"schema", extract_schema}, {"files", files}}));
  return 0;
}

}  // namespace mana::tools
