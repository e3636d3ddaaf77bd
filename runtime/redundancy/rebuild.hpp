// The images of a group again, when some are lost or damaged.
#pragma once
#include <runtime/redundancy/block_file.hpp>
#include <runtime/redundancy/party.hpp>
#include <runtime/redundancy/rebuild_plan.hpp>

#include <functional>

namespace mana::redundancy {

/// Both files are open for reading and writing. One that is lost is given as a new, empty one.
struct own_files {
  local_file image;
  bool has_image = false;        // there is something in it that may be the image
  std::uint64_t identity = 0;    // what its trailer says; with has_image
  local_file parity;
  bool has_parity = false;
};

enum class look {
  at_claims,     // if all members have images of the right size and identity and whole parity files, that is enough
  at_contents,   // every block is read and compared with its checksum
};

/// All members of a group call this, with the group as it was at the checkpoint. Blocks that are lost or damaged are
/// written where they belong in the files given; what is intact is not touched. When it returns, all files are as they
/// were after encode(), and durable; when it throws, lost files may be incomplete although size and trailer are right:
/// they should get their names afterwards.
/// in:     generation  that is to be restarted
///         did         told of the bytes that this member has looked at, or passed in a lost block: of the first all of its
///                     image and parity, unless they are not there; of each lost block its size
/// out:    what was repaired, of all members; equal on all of them
/// cost:   intact files are read twice. Of a lost block no more than its size is sent to anyone. Less than 2 MiB
/// errors: redundancy_error on every member, whoever failed (damaged, mixed, lost, io); what the transport throws
std::vector<repair> rebuild(const membership& who, std::uint64_t generation, const own_files& own, look how,
                            transport& link, const std::function<void(std::uint64_t)>& did = [](std::uint64_t) {});

/// Which group wrote a parity file. For who has no manifest that says it.
/// out:    nothing if its head is damaged      errors: redundancy_error (io)
std::optional<group_header> read_header(const local_file& parity);

}  // namespace mana::redundancy
