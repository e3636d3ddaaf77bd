// A section of an image that is CBOR.
#pragma once
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace mana::files {

/// Levels of arrays and maps, one in another: more than any section has, and no stack is used up by them.
inline constexpr std::size_t deepest = 32;

class document_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the bytes say. Whose members are not as expected is for the caller, by at(), get() and value().
/// errors: document_error if they are no CBOR, have more after it, nest deeper than `deepest`, or have what mana does not write:
/// floating-point numbers, tags, what is of indefinite length
nlohmann::json read_document(std::span<const std::uint8_t> bytes);

}  // namespace mana::files
