// A manifest from any text: as it is, and with the checksum that belongs to it.
#include <runtime/store/manifest.hpp>

#include <nlohmann/json.hpp>
#include <xxhash.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace {

using namespace mana;

/// What is accepted is written so that it is accepted again, as the same.
void read_text(const std::string& text) {
  try {
    const store::manifest m = store::from_json(text);
    const std::string written = store::to_json(m);
    if (store::to_json(store::from_json(written)) != written) __builtin_trap();
  } catch (const store::store_error&) {
  }
}

/// Version 1: the checksum is of the document without it.
std::string sealed_as_version_1(const std::string& text) {
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!document.is_object()) return text;
  document.erase("checksum");
  const std::string open = document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  char sum[17];
  std::snprintf(sum, sizeof sum, "%016" PRIx64, static_cast<std::uint64_t>(XXH3_64bits(open.data(), open.size())));
  document["checksum"] = sum;
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The harness takes the document apart itself, and by recursion.
bool is_flat(const std::string& text) {
  std::size_t depth = 0;
  for (const char c : text) {
    if ((c == '{' || c == '[') && ++depth > 64) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_text(text);
  read_text(store::sealed(text));
  if (is_flat(text)) read_text(sealed_as_version_1(text));
  return 0;
}
