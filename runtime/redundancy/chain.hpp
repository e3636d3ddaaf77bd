// Rebuilds the lost blocks of a stripe from the remaining ones, by pieces that pass from member to member.
#pragma once
#include <runtime/redundancy/block_file.hpp>
#include <runtime/redundancy/party.hpp>
#include <runtime/redundancy/pieces.hpp>
#include <runtime/redundancy/rebuild_plan.hpp>

#include <functional>
#include <optional>

namespace mana::redundancy {

/// The sources form a row. A source receives a sum for each lost block, adds its own piece times its factors, and
/// passes the sums on. The last source passes them to the members that lost the blocks. All work at the same time, each
/// one piece behind the one before. So a member receives only the sums. A member that collected the sources' blocks
/// would receive data() times as much.
class chain {
 public:
  /// in:     memory  2 * parity + 1 pieces
  chain(party& all, const group_header& header, unsigned own, const member_blocks& blocks, const piece_memory& memory,
        const broken_stripe& broken);
  /// All members call this.
  /// in:     did  receives the bytes of the blocks that were passed
  /// errors: redundancy_error on every member (io; damaged: a rebuilt block has another checksum)
  void run(const std::function<void(std::uint64_t)>& did);

 private:
  static constexpr unsigned ticks_between_agreements = 64;

  unsigned holder(unsigned block) const { return layout_.holder(broken_.stripe, block); }
  unsigned ends() const { return static_cast<unsigned>(broken_.sources.size()); }   // place of members with lost blocks
  bytes_span sum(unsigned lost, bool next, std::size_t bytes) const {
    return memory_.piece(1 + 2 * lost + next, bytes);
  }
  std::size_t piece_bytes(std::uint64_t tick, unsigned place) const;
  void add_own(std::uint64_t tick);
  void hand_on(std::uint64_t tick);
  void keep(std::uint64_t tick);
  void check();

  party& all_;
  const group_header& header_;
  const stripes layout_;
  const unsigned own_;
  const member_blocks& blocks_;
  const piece_memory& memory_;       // own piece; two for each lost block: the outgoing and the incoming sum
  const broken_stripe& broken_;
  std::optional<combination> code_;
  std::optional<unsigned> source_;   // own place among the sources
  std::optional<unsigned> lost_;     // own place among the lost blocks
  std::optional<running_checksum> checksum_;
  const std::size_t most_bytes_;
  bool next_ = false;                // which of the two pieces is passed on
};

}  // namespace mana::redundancy
