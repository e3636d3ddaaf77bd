#include <runtime/store/nodes/local_sidecar.hpp>

#include <runtime/store/manifest.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <set>

namespace mana::store {

namespace {

using json = nlohmann::ordered_json;

constexpr int sidecar_version = 2, oldest_sidecar_version = 1;
constexpr int deepest = 3;             // arrays and objects within each other

[[noreturn]] void refuse(const std::string& what) { throw store_error(error_kind::damaged, what); }

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, value);
  return text;
}

std::uint64_t from_hex(const json& value) {
  const std::string text = value;
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse("a number in it is none");
  return std::stoull(text, nullptr, 16);
}

std::uint64_t number_in(const json& from, const char* name, std::uint64_t most) {
  const json& value = from.at(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    refuse(std::string("\"") + name + "\" is absurd");
  return value.get<std::uint64_t>();
}

void check_seal(const std::string& text) {
  const std::size_t seal = text.rfind(",\n  \"checksum\": \"");
  if (seal == std::string::npos || sealed(text.substr(0, seal) + "\n}\n") != text) refuse("its checksum is wrong");
}

json parse(const std::string& text) {
  return json::parse(text, [](int depth, json::parse_event_t, json&) {
    if (depth > deepest) refuse("it nests too deep");
    return true;
  });
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

/// Each rank may occur once. The image's own must occur.
parity_group group_in(const json& from, std::uint32_t own, std::uint32_t ranks) {
  parity_group group;
  for (const json& value : from.at("ranks")) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= ranks) refuse("\"redundancy\" is absurd");
    group.ranks.push_back(value);
  }
  group.parity = static_cast<std::uint32_t>(number_in(from, "parity", most_ranks));
  const std::set<std::uint32_t> members(group.ranks.begin(), group.ranks.end());
  if (members.size() != group.ranks.size() || (!members.empty() && !members.contains(own)) ||
      group.parity >= std::max<std::size_t>(1, members.size()) || (group.parity == 0) != members.empty())
    refuse("\"redundancy\" is absurd");
  return group;
}

local_image from_document(const json& document) {
  local_image about;
  about.version = static_cast<int>(number_in(document, "mana_local_image", 1'000'000));
  if (about.version < oldest_sidecar_version || about.version > sidecar_version)
    throw store_error(error_kind::other_version, "it is of version " + std::to_string(about.version) +
                      ", this mana reads " + std::to_string(oldest_sidecar_version) + " to " +
                      std::to_string(sidecar_version) + "; restart with the version of mana that wrote it");
  about.generation = number_in(document, "generation", UINT64_MAX);
  about.nonce = from_hex(document.at("nonce"));
  about.ranks = static_cast<std::uint32_t>(number_in(document, "ranks", most_ranks));
  about.rank = static_cast<std::uint32_t>(number_in(document, "rank", most_ranks));
  if (about.rank >= about.ranks) refuse("it belongs to a rank that its job does not have");
  about.bytes = number_in(document, "bytes", UINT64_MAX);
  about.memory_bytes = number_in(document, "memory_bytes", UINT64_MAX);
  about.checksum = from_hex(document.at("image_checksum"));
  about.builds_on = generations_in(document, about.generation);
  about.mpi = document.at("mpi");
  about.mpi_version = document.at("mpi_version");
  about.program = document.at("program");
  about.build_id = document.at("build_id");
  about.mode = document.at("mode");
  about.warnings = document.at("warnings").get<std::vector<std::string>>();
  if (about.version >= 2) about.group = group_in(document.at("redundancy"), about.rank, about.ranks);
  return about;
}

}  // namespace

std::string sidecar_name(std::uint32_t rank) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%05u.json", rank);
  return name;
}

std::vector<std::string> limited_warnings(const std::vector<std::string>& all) {
  constexpr std::size_t most_bytes = most_sidecar_bytes / 8;       // each byte may be written as several
  std::vector<std::string> some;
  std::size_t bytes = 0;
  for (const std::string& text : all) {
    bytes += text.size() + 8;
    if (bytes > most_bytes) {
      some.push_back("… and " + std::to_string(all.size() - some.size()) + " more warnings");
      break;
    }
    some.push_back(text);
  }
  return some;
}

std::string to_json(const local_image& about) {
  const json document = {{"mana_local_image", sidecar_version}, {"generation", about.generation},
                         {"nonce", hex(about.nonce)}, {"rank", about.rank}, {"ranks", about.ranks},
                         {"bytes", about.bytes}, {"memory_bytes", about.memory_bytes},
                         {"image_checksum", hex(about.checksum)}, {"builds_on", about.builds_on}, {"mpi", about.mpi},
                         {"mpi_version", about.mpi_version}, {"program", about.program}, {"build_id", about.build_id},
                         {"mode", about.mode},
                         {"redundancy", {{"parity", about.group.parity}, {"ranks", about.group.ranks}}},
                         {"warnings", about.warnings}};
  // Names of files need not be UTF-8, but JSON must be.
  return sealed(document.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

local_image sidecar_from_json(const std::string& text) {
  check_seal(text);
  try {
    return from_document(parse(text));
  } catch (const nlohmann::json::exception&) {
    refuse("it is not what mana wrote");
  }
}

}  // namespace mana::store
