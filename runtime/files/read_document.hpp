// Reads a section of an image that is CBOR.
#pragma once
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace mana::files {

/// Levels of nested arrays and maps: more than any section has, and few enough for the stack.
inline constexpr std::size_t deepest = 32;

class document_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The parsed document. The caller checks the members by at(), get() and value().
/// errors: document_error: the bytes are not CBOR, continue after it, nest deeper than `deepest`, or have items that
///         mana does not write: floating-point numbers, tags, indefinite lengths
nlohmann::json read_document(std::span<const std::uint8_t> bytes);

}  // namespace mana::files
