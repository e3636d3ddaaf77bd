// Computes parity for the images of a group, after they were written.
#pragma once
#include <runtime/redundancy/block_file.hpp>
#include <runtime/redundancy/party.hpp>

namespace mana::redundancy {

/// The same on all members.
struct checkpoint_id {
  std::uint64_t generation = 0;
  std::uint64_t nonce = 0;       // random, one for each checkpoint
};

struct own_image {
  local_file image;              // complete; open for reading
  std::uint64_t identity = 0;    // its trailer's checksum
  local_file parity;             // new and empty; open for reading and writing
};

/// All members of a group call this. The images must not change meanwhile. On return, all parity files of the group are
/// complete and durable; the caller syncs their names. If it throws, the parity files are worthless.
/// cost:   each member reads its image once, sends and receives `parity` times as much, and uses less than 2 MiB
/// errors: redundancy_error on every member, whichever failed; what the transport throws, on its member
void encode(const membership& who, const checkpoint_id& id, const own_image& own, transport& link);

}  // namespace mana::redundancy
