// Rebuilds the images of a group, when some are lost or damaged.
#pragma once
#include <runtime/redundancy/block_file.hpp>
#include <runtime/redundancy/party.hpp>
#include <runtime/redundancy/rebuild_plan.hpp>

#include <functional>

namespace mana::redundancy {

/// Both files are open for reading and writing. A new, empty file stands for a lost one.
struct own_files {
  local_file image;
  bool has_image = false;        // the file may contain the image
  std::uint64_t identity = 0;    // from its trailer; with has_image
  local_file parity;
  bool has_parity = false;
};

enum class look {
  at_claims,     // images of the right size and identity, and complete parity files, are enough
  at_contents,   // every block is read and compared with its checksum
};

/// All members of a group call this, with the group of the checkpoint. Lost or damaged blocks are written to their
/// places in the given files; intact blocks are not touched. On return, all files are as after encode(), and durable.
/// If it throws, lost files may be incomplete although their size and trailer are right. So give them their names only
/// after it returns.
/// in:     generation  the one to restart
///         did         receives the bytes that this member has read, or passed in a lost block: its image and
///                     parity, unless these are missing, and the size of each lost block
/// out:    the repairs of all members; equal on all of them
/// cost:   intact files are read twice. For a lost block, a member receives no more than its size. Less than 2 MiB
/// errors: redundancy_error on every member, whichever failed (damaged, mixed, lost, io); what the transport throws
std::vector<repair> rebuild(const membership& who, std::uint64_t generation, const own_files& own, look how,
                            transport& link, const std::function<void(std::uint64_t)>& did = [](std::uint64_t) {});

/// The group that wrote a parity file, for a caller without a manifest.
/// out:    nothing if its head is damaged      errors: redundancy_error (io)
std::optional<group_header> read_header(const local_file& parity);

}  // namespace mana::redundancy
