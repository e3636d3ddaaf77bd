#include <runtime/redundancy/rebuild_plan.hpp>

#include <runtime/redundancy/redundancy_error.hpp>

namespace mana::redundancy {

block_map::block_map(const group& of, std::vector<std::uint8_t> intact, const std::vector<bool>& has_head)
    : of_(of), layout_{of.members(), of.parity}, intact_(std::move(intact)) {
  for (unsigned member = 0; member < of.members(); ++member) {
    repair one{.rank = of.ranks[member], .head = !has_head[member]};
    for (unsigned block = 0; block < of.members(); ++block)
      if (!is_intact(member, block)) ++(block < of.data() ? one.image_blocks : one.parity_blocks);
    if (one.image_blocks + one.parity_blocks != 0 || one.head) repairs_.push_back(one);
  }
}

std::vector<broken_stripe> block_map::plan() const {
  std::vector<broken_stripe> all;
  for (unsigned stripe = 0; stripe < layout_.members; ++stripe) {
    broken_stripe one{.stripe = stripe, .lost = {}, .sources = {}};
    for (unsigned block = 0; block < layout_.members; ++block) {
      const bool intact = is_intact(layout_.holder(stripe, block), block);
      if (!intact) one.lost.push_back(block);
      else if (one.sources.size() < layout_.data()) one.sources.push_back(block);
    }
    if (one.lost.size() > layout_.parity) {
      std::string text = "more is lost than can be rebuilt, which is " + std::to_string(layout_.parity) + " of " +
                         std::to_string(layout_.members) + " files";
      for (const repair& loss : repairs_) text += "; " + describe(loss, of_);
      throw redundancy_error(error_kind::lost, text);
    }
    if (!one.lost.empty()) all.push_back(std::move(one));
  }
  return all;
}

std::string describe(const repair& one, const group& of) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const auto count = [](unsigned lost, unsigned all) {
    return std::to_string(lost) + " of " + std::to_string(all) + " blocks";
  };
  if (one.image_blocks != 0) add("image " + count(one.image_blocks, of.data()));
  if (one.parity_blocks != 0) add("parity " + count(one.parity_blocks, of.parity));
  if (one.head) add("head of the parity file");
  return "rank " + std::to_string(one.rank) + ": " + text;
}

}  // namespace mana::redundancy
