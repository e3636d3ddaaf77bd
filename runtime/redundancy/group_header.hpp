// The head of a parity file, in memory.
#pragma once
#include <runtime/redundancy/erasure_code.hpp>
#include <runtime/redundancy/parity_layout.hpp>
#include <runtime/redundancy/stripes.hpp>

#include <optional>

namespace mana::redundancy {

struct group_header {
  parity_head head{};
  std::vector<member_record> records;            // by member
  std::vector<std::uint64_t> block_checksums;    // by member and block

  /// in:     records  in the order of the members; the block size follows from their images' sizes
  static group_header make(std::uint64_t generation, std::uint64_t nonce, unsigned parity,
                           std::vector<member_record> records);
  /// out:    nothing: these bytes are not an intact head of this version
  static std::optional<group_header> parse(bytes_view bytes);
  /// The head for the file of `member`.
  std::vector<std::byte> bytes(unsigned member) const;

  stripes layout() const noexcept { return {head.members, head.parity}; }
  std::size_t piece_bytes() const noexcept { return piece_bytes_for(head.parity, head.block_bytes); }
  std::uint64_t checksum_of(unsigned member, unsigned block) const {
    return block_checksums[std::size_t{member} * head.members + block];
  }
  std::uint64_t parity_file_bytes() const noexcept { return head.head_bytes + head.parity * head.block_bytes; }
};

/// Size of a head, for a group of `members` members.
std::uint32_t head_bytes_for(unsigned members) noexcept;

}  // namespace mana::redundancy
