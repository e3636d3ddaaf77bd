#include <runtime/store/manifest.hpp>

#include <runtime/image/origins/program_files.hpp>

#include <nlohmann/json.hpp>
#include <xxhash.h>

#include <cinttypes>
#include <cmath>

namespace mana::store {

namespace {

using json = nlohmann::ordered_json;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;
constexpr std::int64_t last_second = std::int64_t{1} << 40;
constexpr double longest_s = 1e12;
constexpr int deepest = 4;             // arrays and objects within each other; ours have three

[[noreturn]] void refuse(const std::string& what) { throw store_error(error_kind::damaged, what); }

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, value);
  return text;
}

/// Names of files need not be UTF-8, but JSON must be.
std::string as_text(const json& document, int indent) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

/// The end of the text, with its checksum.
std::string seal_of(std::string_view text) {
  return ",\n  \"checksum\": \"" + hex(XXH3_64bits(text.data(), text.size())) + "\"\n}\n";
}

bool is_sealed(const std::string& text) {
  const std::size_t seal_bytes = seal_of({}).size();
  if (text.size() < seal_bytes) return false;
  const std::string_view whole = text;
  return whole.substr(text.size() - seal_bytes) == seal_of(whole.substr(0, text.size() - seal_bytes));
}

/// Version 1: the checksum is over the text without that member, and without spaces between members.
void check_version_1(const json& document) {
  json rest = document;
  rest.erase("checksum");
  const std::string text = as_text(rest, -1);
  if (hex(XXH3_64bits(text.data(), text.size())) != document.at("checksum").get<std::string>()) refuse("its checksum is wrong");
}

/// Refuses a text that nests deeper than any manifest while it is read, before a recursive function sees it.
json parse(const std::string& text) {
  return json::parse(text, [](int depth, json::parse_event_t, json&) {
    if (depth > deepest) refuse("it nests too deep");
    return true;
  });
}

std::uint64_t number_in(const json& from, const char* name, std::uint64_t most) {
  const json& value = from.at(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    refuse(std::string("\"") + name + "\" is absurd: " + as_text(value, -1).substr(0, 40));
  return value.get<std::uint64_t>();
}

double seconds_in(const json& from, const char* name) {
  const json& value = from.at(name);
  if (!value.is_number() || !(value.get<double>() >= 0) || value.get<double>() > longest_s)
    refuse(std::string("\"") + name + "\" is absurd: " + as_text(value, -1).substr(0, 40));
  return value.get<double>();
}

std::uint64_t from_hex(const json& value) {
  const std::string text = value;
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos) refuse("a file's checksum "
                                                                                                   "is no checksum");
  return std::stoull(text, nullptr, 16);
}

rank_file file_in(const json& from, int version) {
  rank_file f{static_cast<std::uint32_t>(number_in(from, "rank", most_ranks)), from.at("file"),
              number_in(from, "bytes", most_bytes), number_in(from, "memory_bytes", most_bytes),
              from_hex(from.at("checksum"))};
  if (version >= 2) {
    f.kept_bytes = number_in(from, "kept_bytes", most_bytes);
    f.write_s = seconds_in(from, "write_s");
    if (from.contains("writer_bytes")) f.writer_bytes = number_in(from, "writer_bytes", most_bytes);
  }
  return f;
}

file_copy copy_in(const json& from) {
  file_copy f{from.at("file"), number_in(from, "bytes", most_bytes), from_hex(from.at("checksum"))};
  const std::string begins = image::program_files::copy_begins;
  if (!f.name.starts_with(begins) || f.name.find_first_not_of("0123456789abcdef-", begins.size()) != std::string::npos)
    refuse("a copy has a name that mana does not give: " + f.name);
  return f;
}

void check_copies(const manifest& m) {
  for (std::size_t i = 1; i < m.copies.size(); ++i)
    if (m.copies[i].name <= m.copies[i - 1].name) refuse("its copies are not in the order of their names");
}

void check_files(const manifest& m) {
  if (m.files.size() != m.ranks) refuse("it does not name an image for each rank");
  for (std::uint32_t rank = 0; rank < m.ranks; ++rank) {
    if (m.files[rank].rank != rank) refuse("its images are not in the order of ranks");
    if (m.files[rank].name != rank_file_name(rank))
      refuse("the image of rank " + std::to_string(rank) + " has a name that mana does not give: " + m.files[rank].name);
  }
}

std::vector<std::uint64_t> generations_in(const json& from, std::uint64_t own) {
  std::vector<std::uint64_t> found;
  for (const json& value : from.at("builds_on")) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= own ||
        (!found.empty() && value.get<std::uint64_t>() <= found.back()))
      refuse("\"builds_on\" names impossible generations");
    found.push_back(value);
  }
  return found;
}

void take_version_2(const json& document, manifest& m) {
  m.generation = number_in(document, "generation", most_bytes);
  m.mana = document.at("mana");
  m.mode = document.at("mode");
  m.builds_on = generations_in(document, m.generation);
  for (const phase_row& p : phase_table) m.phases_s.*p.seconds = seconds_in(document.at("phases_s"), p.name);
}

manifest from_document(const json& document, bool is_whole) {
  manifest m;
  m.version = static_cast<int>(number_in(document, "mana_checkpoint", 1'000'000));
  if (m.version == 1) check_version_1(document);
  else if (!is_whole) refuse("its checksum is wrong");
  if (m.version < 1 || m.version > 2)
    throw store_error(error_kind::other_version, "the manifest is of version " + std::to_string(m.version) +
                      ", this mana reads 1 and 2; restart with the version of mana that wrote it");
  if (m.version == 2) take_version_2(document, m);
  m.ranks = static_cast<std::uint32_t>(number_in(document, "ranks", most_ranks));
  m.mpi = document.at("mpi");
  m.mpi_version = document.at("mpi_version");
  m.program = document.at("program");
  m.build_id = document.at("build_id");
  m.unix_time_s = static_cast<std::int64_t>(number_in(document, "unix_time_s", last_second));
  m.warnings = document.at("warnings").get<std::vector<std::string>>();
  for (const json& f : document.at("files")) m.files.push_back(file_in(f, m.version));
  check_files(m);
  if (document.contains("copies"))
    for (const json& f : document.at("copies")) m.copies.push_back(copy_in(f));
  check_copies(m);
  return m;
}

/// In seconds, rounded to microseconds.
double whole_us(double seconds) { return std::round(seconds * 1e6) / 1e6; }

json json_of(const rank_file& f) {
  return {{"rank", f.rank}, {"file", f.name}, {"bytes", f.bytes}, {"memory_bytes", f.memory_bytes},
          {"kept_bytes", f.kept_bytes}, {"write_s", whole_us(f.write_s)}, {"writer_bytes", f.writer_bytes}, {"checksum", hex(f.checksum)}};
}

json json_of(const file_copy& f) { return {{"file", f.name}, {"bytes", f.bytes}, {"checksum", hex(f.checksum)}}; }

}  // namespace

std::string sealed(const std::string& text) {
  const std::string open = text.substr(0, text.find_last_not_of("\n}") + 1);
  return open + seal_of(open);
}

std::string to_json(const manifest& m) {
  json files = json::array(), copies = json::array(), phases_s = json::object();
  for (const rank_file& f : m.files) files.push_back(json_of(f));
  for (const file_copy& f : m.copies) copies.push_back(json_of(f));
  for (const phase_row& p : phase_table) phases_s[p.name] = whole_us(m.phases_s.*p.seconds);
  const json document = {
      {"mana_checkpoint", 2}, {"generation", m.generation}, {"mana", m.mana}, {"ranks", m.ranks}, {"mpi", m.mpi},
      {"mpi_version", m.mpi_version}, {"program", m.program}, {"build_id", m.build_id}, {"unix_time_s", m.unix_time_s},
      {"mode", m.mode}, {"builds_on", m.builds_on}, {"phases_s", phases_s}, {"files", files}, {"copies", copies}, {"warnings", m.warnings}};
  return sealed(as_text(document, 2) + "\n");
}

manifest from_json(const std::string& text) {
  try {
    return from_document(parse(text), is_sealed(text));
  } catch (const nlohmann::json::exception&) {
    refuse("it is not what mana wrote");
  } catch (const std::logic_error&) {
    refuse("it is not what mana wrote");
  }
}

}  // namespace mana::store
