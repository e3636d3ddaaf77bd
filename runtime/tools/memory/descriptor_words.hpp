// Describes a descriptor of an image, for people and for programs. Rows: see runtime/descriptors/capture.cpp.
#pragma once
#include <nlohmann/json.hpp>

#include <string>

namespace mana::tools {

struct descriptor_words {
  std::string kind;        // "regular", "pipe", "standard output", …
  std::string what;        // path or name; may be empty
  std::string details;     // "rw, at 4096 of 8192", …
};

/// Leaves out members that the row lacks, or has in another form than this version writes.
/// in: rows  all rows of the image: the first row of a shared open file describes it
descriptor_words words_of(const nlohmann::json& row, const nlohmann::json& rows);

/// Members: fd, file, kind, path, offset, size, flags, …; no contents.
nlohmann::ordered_json json_of_descriptor(const nlohmann::json& row);

}  // namespace mana::tools
