// The text of the manifest: JSON, whose last member is a checksum of all bytes before it.
#pragma once
#include <runtime/store/store.hpp>

namespace mana::store {

inline constexpr std::uint64_t most_manifest_bytes = 256u << 20;     // a million ranks
inline constexpr std::uint32_t most_ranks = 1u << 22;

std::string to_json(const manifest& m);
/// Reads versions 1 and 2.
/// errors: store_error (damaged, other_version); its text says what is wrong, without the file's name
manifest from_json(const std::string& text);

/// in: text  a JSON object, "{ … }" and a newline      out: the same with its checksum, in version 2's form
std::string sealed(const std::string& text);

}  // namespace mana::store
