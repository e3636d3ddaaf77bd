// The sidecar of a rank's image on its node: JSON, whose last member is a checksum of all bytes before it.
// docs/design/local.md says why a node has no manifest.
#pragma once
#include <runtime/store/store.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::store {

inline constexpr std::uint64_t most_sidecar_bytes = 1u << 20;

/// A group of ranks whose parity files can rebuild the images of some members (docs/design/redundancy.md).
struct parity_group {
  std::uint32_t parity = 0;              // number of members whose image and parity may be lost
  std::vector<std::uint32_t> ranks;      // in the order of the members' numbers; empty: there is no parity
  bool operator==(const parity_group&) const = default;
};

struct local_image {
  int version = 2;
  std::uint64_t generation = 0;
  std::uint64_t nonce = 0;               // of the attempt: the images of one checkpoint share it, and no others have it
  std::uint32_t rank = 0, ranks = 0;
  std::uint64_t bytes = 0;               // of the file
  std::uint64_t memory_bytes = 0;        // of the program in the image
  std::uint64_t checksum = 0;            // of the image's trailer: image::write_result
  std::vector<std::uint64_t> builds_on;  // generations that the image refers to, ascending
  std::string mpi, mpi_version, program, build_id;
  std::string mode;                      // how the image was written, in words
  std::vector<std::string> warnings;
  parity_group group = {};               // ranks whose parity is durable, too; from version 2 on
  bool operator==(const local_image&) const = default;
};

/// The name of the file beside rank_file_name(rank).
std::string sidecar_name(std::uint32_t rank);

/// The warnings for which a readable sidecar has room. The last one says how many more there were.
std::vector<std::string> limited_warnings(const std::vector<std::string>& all);

std::string to_json(const local_image& about);
/// errors: store_error (damaged, other_version); its text says what is wrong, without the file's name
local_image sidecar_from_json(const std::string& text);

}  // namespace mana::store
