#include "manifest.hpp"

#include <nlohmann/json.hpp>
#include <xxhash.h>

#include <cinttypes>

namespace mana::store {

namespace {

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, value);
  return text;
}
std::uint64_t from_hex(const std::string& text) { return std::stoull(text, nullptr, 16); }

/// Names of files need not be UTF-8; JSON must.
std::string as_text(const nlohmann::ordered_json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Over the text without the member itself.
std::string checksum_of(const nlohmann::ordered_json& document) {
  const std::string text = as_text(document, -1);
  return hex(XXH3_64bits(text.data(), text.size()));
}

}  // namespace

std::string to_json(const manifest& m) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const rank_file& f : m.files)
    files.push_back({{"rank", f.rank}, {"file", f.name}, {"bytes", f.bytes}, {"memory_bytes", f.memory_bytes},
                     {"checksum", hex(f.checksum)}});
  nlohmann::ordered_json document = {
      {"mana_checkpoint", m.version}, {"ranks", m.ranks}, {"mpi", m.mpi}, {"mpi_version", m.mpi_version},
      {"program", m.program}, {"build_id", m.build_id}, {"unix_time_s", m.unix_time_s}, {"files", files},
      {"warnings", m.warnings}};
  document["checksum"] = checksum_of(document);
  return as_text(document, 2) + "\n";
}

manifest from_json(const std::string& text) {
  try {
    nlohmann::ordered_json document = nlohmann::ordered_json::parse(text);
    const std::string checksum = document.at("checksum");
    document.erase("checksum");
    if (checksum_of(document) != checksum) throw store_error(error_kind::damaged, "its checksum is wrong");
    manifest m;
    m.version = document.at("mana_checkpoint");
    if (m.version != 1)
      throw store_error(error_kind::damaged, "it is of version " + std::to_string(m.version) + ", this mana reads 1");
    m.ranks = document.at("ranks");
    m.mpi = document.at("mpi");
    m.mpi_version = document.at("mpi_version");
    m.program = document.at("program");
    m.build_id = document.at("build_id");
    m.unix_time_s = document.at("unix_time_s");
    m.warnings = document.at("warnings").get<std::vector<std::string>>();
    for (const auto& f : document.at("files"))
      m.files.push_back({f.at("rank"), f.at("file"), f.at("bytes"), f.at("memory_bytes"), from_hex(f.at("checksum"))});
    if (m.files.size() != m.ranks) throw store_error(error_kind::damaged, "it does not name an image for each rank");
    for (std::uint32_t rank = 0; rank < m.ranks; ++rank)
      if (m.files[rank].rank != rank)
        throw store_error(error_kind::damaged, "its images are not in the order of ranks");
    return m;
  } catch (const nlohmann::json::exception&) {
    throw store_error(error_kind::damaged, "it is not what mana wrote");
  } catch (const std::logic_error&) {
    throw store_error(error_kind::damaged, "it is not what mana wrote");
  }
}

}  // namespace mana::store
