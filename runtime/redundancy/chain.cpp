#include <runtime/redundancy/chain.hpp>

#include <algorithm>

namespace mana::redundancy {

chain::chain(party& all, const group_header& header, unsigned own, const member_blocks& blocks,
             const piece_memory& memory, const broken_stripe& broken)
    : all_(all), header_(header), layout_(header.layout()), own_(own), blocks_(blocks), memory_(memory),
      broken_(broken), most_bytes_(header.piece_bytes()) {}

std::size_t chain::piece_bytes(std::uint64_t tick, unsigned place) const {
  if (tick < place) return 0;
  const std::uint64_t at = (tick - place) * most_bytes_;
  if (at >= header_.head.block_bytes) return 0;
  return static_cast<std::size_t>(std::min<std::uint64_t>(most_bytes_, header_.head.block_bytes - at));
}

void chain::run(const std::function<void(std::uint64_t)>& did) {
  all_.attempt([&] {
    code_ = erasure_code(layout_.data(), layout_.parity).rebuilt(broken_.sources, broken_.lost);
    for (unsigned i = 0; i < broken_.sources.size(); ++i)
      if (holder(broken_.sources[i]) == own_) source_ = i;
    for (unsigned i = 0; i < broken_.lost.size(); ++i)
      if (holder(broken_.lost[i]) == own_) lost_ = i;
    if (lost_) checksum_.emplace();
  });
  all_.agree();
  const std::uint64_t pieces = (header_.head.block_bytes + most_bytes_ - 1) / most_bytes_;
  for (std::uint64_t tick = 0; tick < pieces + ends() - 1; ++tick) {
    add_own(tick);
    hand_on(tick);
    keep(tick);
    next_ = !next_;
    did(piece_bytes(tick, 0));
    if ((tick + 1) % ticks_between_agreements == 0) all_.agree();
  }
  all_.agree();
  check();
}

void chain::add_own(std::uint64_t tick) {
  if (!source_) return;
  const std::size_t bytes = piece_bytes(tick, *source_);
  if (bytes == 0) return;
  all_.attempt([&] {
    const bytes_span own = memory_.piece(0, bytes);
    blocks_.read(broken_.sources[*source_], (tick - *source_) * most_bytes_, own);
    for (unsigned i = 0; i < broken_.lost.size(); ++i) {
      if (*source_ == 0) std::fill_n(sum(i, next_, bytes).begin(), bytes, std::byte{0});
      code_->add(*source_, own, i, sum(i, next_, bytes));
    }
  });
}

void chain::hand_on(std::uint64_t tick) {
  std::vector<outgoing> out;
  std::vector<incoming> in;
  for (unsigned i = 0; i < broken_.lost.size(); ++i) {
    if (source_ && piece_bytes(tick, *source_) != 0) {
      const bool last = *source_ + 1 == ends();
      out.push_back({holder(last ? broken_.lost[i] : broken_.sources[*source_ + 1]),
                     sum(i, next_, piece_bytes(tick, *source_))});
    }
    if ((source_ && *source_ > 0) || lost_ == i) {
      const unsigned before = (source_ ? *source_ : ends()) - 1;
      if (const std::size_t bytes = piece_bytes(tick, before); bytes != 0)
        in.push_back({holder(broken_.sources[before]), sum(i, !next_, bytes)});
    }
  }
  all_.exchange(out, in);
}

void chain::keep(std::uint64_t tick) {
  if (!lost_) return;
  const std::size_t bytes = piece_bytes(tick, ends() - 1);
  if (bytes == 0) return;
  all_.attempt([&] {
    const bytes_span rebuilt = sum(*lost_, !next_, bytes);
    checksum_->add(rebuilt);
    blocks_.write(broken_.lost[*lost_], (tick - ends() + 1) * most_bytes_, rebuilt);
  });
}

void chain::check() {
  all_.attempt([&] {
    if (lost_ && checksum_->digest() != header_.checksum_of(own_, broken_.lost[*lost_]))
      throw redundancy_error(error_kind::damaged, "block " + std::to_string(broken_.lost[*lost_]) +
                                                      " has a different checksum after its rebuild");
  });
  all_.agree();
}

}  // namespace mana::redundancy
