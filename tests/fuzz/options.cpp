// Options and the texts in the environment, of any words. The first byte says which reader has the rest.
#include <runtime/files/path_map.hpp>
#include <runtime/image/format/packing.hpp>
#include <runtime/job/fault_point.hpp>
#include <runtime/job/start_failure.hpp>
#include <runtime/tools/options/configuration.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/signal_names.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace {

using namespace mana;

/// What was understood and is written again is understood as the same.
void read_packing(const std::string& text) {
  try {
    const std::string written = image::as_text(image::parse_packing(text));
    if (image::as_text(image::parse_packing(written)) != written) __builtin_trap();
  } catch (const std::invalid_argument&) {
  }
}

/// Rules, one in a line, and then paths.
void read_path_map(const std::string& text) {
  files::path_map map;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    try {
      map.add(line);
    } catch (const files::path_map_error&) {
    }
    if (line.starts_with('/') && !map(line).starts_with('/')) __builtin_trap();
    begin = end + 1;
  }
}

void read_signals(const std::string& text) {
  try {
    if (tools::parse_signals(text) == 0) __builtin_trap();
  } catch (const tools::failure&) {
  }
}

void read_faults(const std::string& text) {
  try {
    job::parse_faults(text);
  } catch (const job::start_failure&) {
  }
}

/// A mistake has its line, and leaves no options.
void read_configuration(const std::string& text) {
  const tools::configuration read = tools::parse_configuration(text);
  if (read.error.line != 0 && !read.options.empty()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr void (*readers[])(const std::string&) = {read_packing, read_path_map, read_signals, read_faults,
                                                               read_configuration};
  if (size == 0) return 0;
  readers[data[0] % std::size(readers)](std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
