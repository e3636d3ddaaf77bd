// The layout of a parity file. Frozen: later versions read what this version writes.
//
// A parity file is a head of whole pages, followed by the member's blocks of parity, in order. The head is parity_head,
// a member_record for each member, the checksums of all blocks of all members, and zeros. All heads of a group are
// equal except for own_member and checksum, so that one of them is enough. Numbers are little-endian.
// A change of any of this: raise parity_version.
#pragma once
#include <cstddef>
#include <cstdint>

namespace mana::redundancy {

inline constexpr char parity_magic[8] = {'M', 'A', 'N', 'A', 'P', 'A', 'R', '\n'};
inline constexpr std::uint32_t parity_version = 1;
inline constexpr std::uint64_t page_bytes = 4096;
inline constexpr unsigned most_members = 128;             // a group of 32+8 has at most 79

struct parity_head {
  char magic[8];
  std::uint32_t version;
  std::uint32_t head_bytes;             // size of the head, whole pages
  std::uint64_t generation;
  std::uint64_t nonce;                  // of the checkpoint; differs between two checkpoints of one generation
  std::uint64_t block_bytes;            // whole pages
  std::uint32_t members;
  std::uint32_t parity;                 // number of members that may be lost
  std::uint32_t own_member;             // the owner of the file
  std::uint32_t zero;
  std::uint64_t checksum;               // XXH3-64 of the head, with 0 here
};

struct member_record {
  std::uint64_t image_bytes;
  std::uint64_t identity;               // of the image: its trailer's checksum
  std::uint32_t rank;                   // in the world
  std::uint32_t zero;
};

// Then uint64 block_checksum[members][members]: of member i, XXH3-64 of its image's blocks (the last ones padded with
// zeros), then of its parity blocks.

static_assert(sizeof(parity_head) == 64 && sizeof(member_record) == 24);
static_assert(offsetof(parity_head, generation) == 16 && offsetof(parity_head, nonce) == 24);
static_assert(offsetof(parity_head, block_bytes) == 32 && offsetof(parity_head, members) == 40);
static_assert(offsetof(parity_head, parity) == 44 && offsetof(parity_head, own_member) == 48);
static_assert(offsetof(parity_head, checksum) == 56);
static_assert(offsetof(member_record, identity) == 8 && offsetof(member_record, rank) == 16);

}  // namespace mana::redundancy
