// Parity for the images of a group, right after they were written.
#pragma once
#include <runtime/redundancy/block_file.hpp>
#include <runtime/redundancy/party.hpp>

namespace mana::redundancy {

/// The same for all members.
struct checkpoint_id {
  std::uint64_t generation = 0;
  std::uint64_t nonce = 0;       // drawn once for each checkpoint
};

struct own_image {
  local_file image;              // complete; open for reading
  std::uint64_t identity = 0;    // its trailer's checksum
  local_file parity;             // new and empty; open for reading and writing
};

/// All members of a group call this. The images do not change meanwhile. When it returns, all the group's parity files
/// are complete and durable (their names are the caller's to sync); if it throws, they are worth nothing.
/// cost:   each member reads its image once, sends and receives `parity` times as much, and uses less than 2 MiB
/// errors: redundancy_error on every member, whoever failed; what the transport throws, on its member
void encode(const membership& who, const checkpoint_id& id, const own_image& own, transport& link);

}  // namespace mana::redundancy
