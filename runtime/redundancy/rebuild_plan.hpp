// Lists the losses of a group, and plans how to rebuild them.
#pragma once
#include <runtime/redundancy/groups.hpp>
#include <runtime/redundancy/stripes.hpp>

namespace mana::redundancy {

/// The losses of one member.
struct repair {
  std::uint32_t rank = 0;
  unsigned image_blocks = 0;     // of the group's data() blocks of an image
  unsigned parity_blocks = 0;    // of the group's parity
  bool head = false;             // of the parity file
  bool operator==(const repair&) const = default;
};

/// A stripe with lost blocks, by numbers of blocks.
struct broken_stripe {
  unsigned stripe = 0;
  std::vector<unsigned> lost;
  std::vector<unsigned> sources;     // data() of the other blocks
};

class block_map {
 public:
  /// in:     intact  by member and block      has_head  by member
  block_map(const group& of, std::vector<std::uint8_t> intact, const std::vector<bool>& has_head);

  bool is_intact(unsigned member, unsigned block) const { return intact_[member * of_.members() + block] != 0; }
  /// Members with losses, in their order.
  const std::vector<repair>& repairs() const noexcept { return repairs_; }
  /// errors: redundancy_error (lost), with the ranks that have lost too much
  std::vector<broken_stripe> plan() const;

 private:
  const group& of_;
  stripes layout_;
  std::vector<std::uint8_t> intact_;
  std::vector<repair> repairs_;
};

/// "rank 3: image 2 of 4 blocks, parity 1 of 2 blocks, head of the parity file"
std::string describe(const repair& one, const group& of);

}  // namespace mana::redundancy
