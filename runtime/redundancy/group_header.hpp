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

  /// in:     records  the order of the members; their images' sizes make the blocks' size
  static group_header make(std::uint64_t generation, std::uint64_t nonce, unsigned parity,
                           std::vector<member_record> records);
  /// out:    nothing if these bytes are no head of this version, or not as they were written
  static std::optional<group_header> parse(bytes_view bytes);
  /// The head as `member` writes it.
  std::vector<std::byte> bytes(unsigned member) const;

  stripes layout() const noexcept { return {head.members, head.parity}; }
  std::size_t piece_bytes() const noexcept { return piece_bytes_for(head.parity, head.block_bytes); }
  std::uint64_t checksum_of(unsigned member, unsigned block) const {
    return block_checksums[std::size_t{member} * head.members + block];
  }
  std::uint64_t parity_file_bytes() const noexcept { return head.head_bytes + head.parity * head.block_bytes; }
};

/// Of a head, for a group of so many members.
std::uint32_t head_bytes_for(unsigned members) noexcept;

}  // namespace mana::redundancy
