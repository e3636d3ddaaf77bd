#include <runtime/redundancy/encode.hpp>

#include <runtime/redundancy/pieces.hpp>

namespace mana::redundancy {
namespace {

struct announcement {
  checkpoint_id id;
  member_record record;
};

/// errors: the same on every member
group_header agreed_header(const membership& who, const std::vector<announcement>& said) {
  std::vector<member_record> records;
  for (const announcement& one : said) {
    if (one.id.generation != said[0].id.generation || one.id.nonce != said[0].id.nonce)
      throw redundancy_error(error_kind::usage, "rank " + std::to_string(one.record.rank) + " and rank " +
                                                    std::to_string(said[0].record.rank) +
                                                    " protect images of different checkpoints");
    records.push_back(one.record);
  }
  return group_header::make(said[0].id.generation, said[0].id.nonce, who.of.parity, std::move(records));
}

/// In each step a member reads one piece of its image and sends it to the `parity` members whose parity contains it. So
/// it also receives `parity` pieces, and all disks and links have the same load.
class encoder {
 public:
  encoder(party& all, group_header& header, unsigned own, const own_image& files)
      : all_(all), header_(header), layout_(header.layout()), own_(own), files_(files),
        blocks_(header, own, files.image, files.parity), code_(layout_.data(), layout_.parity),
        parity_(code_.parity()) {}

  void run() {
    const std::size_t most = header_.piece_bytes();
    all_.attempt([&] {
      memory_.make(1 + 2 * layout_.parity, most);
      checksums_.resize(layout_.members);
    });
    all_.agree();
    unsigned steps = 0;
    for_each_piece(header_.head.block_bytes, most, [&](std::uint64_t at, std::size_t bytes) {
      for (unsigned block = 0; block < layout_.data(); ++block) step(block, at, bytes);
      finish_parity(at, bytes);
      if (++steps % steps_between_agreements == 0) all_.agree();
    });
    all_.agree();
    finish();
  }

 private:
  static constexpr unsigned steps_between_agreements = 16;   // of all blocks: for so long a failure may stay unknown

  bytes_span own_piece(std::size_t bytes) const { return memory_.piece(0, bytes); }
  bytes_span received(unsigned row, std::size_t bytes) const { return memory_.piece(1 + row, bytes); }
  bytes_span sum(unsigned row, std::size_t bytes) const { return memory_.piece(1 + layout_.parity + row, bytes); }

  void step(unsigned block, std::uint64_t at, std::size_t bytes) {
    all_.attempt([&] {
      blocks_.read(block, at, own_piece(bytes));
      checksums_[block].add(own_piece(bytes));
    });
    std::vector<outgoing> out;
    std::vector<incoming> in;
    for (unsigned row = 0; row < layout_.parity; ++row) {
      const unsigned parity_block = layout_.data() + row;
      out.push_back({layout_.holder(layout_.stripe_of(own_, block), parity_block), own_piece(bytes)});
      in.push_back({layout_.holder(layout_.stripe_of(own_, parity_block), block), received(row, bytes)});
    }
    all_.exchange(out, in);
    for (unsigned row = 0; row < layout_.parity; ++row) parity_.add(block, received(row, bytes), row, sum(row, bytes));
  }

  void finish_parity(std::uint64_t at, std::size_t bytes) {
    for (unsigned row = 0; row < layout_.parity; ++row) {
      const unsigned block = layout_.data() + row;
      all_.attempt([&] {
        blocks_.write(block, at, sum(row, bytes));
        checksums_[block].add(sum(row, bytes));
      });
      std::fill_n(sum(row, bytes).begin(), bytes, std::byte{0});
    }
  }

  /// Writes the head last: a parity file without a head is incomplete.
  void finish() {
    std::vector<std::uint64_t> own;
    for (const running_checksum& one : checksums_) own.push_back(one.digest());
    header_.block_checksums = all_.gather(own);
    all_.attempt([&] {
      write_at(files_.parity, 0, header_.bytes(own_));
      sync(files_.parity);
    });
    all_.agree();
  }

  party& all_;
  group_header& header_;
  const stripes layout_;
  const unsigned own_;
  const own_image& files_;
  const member_blocks blocks_;
  const erasure_code code_;
  const combination parity_;
  piece_memory memory_;                          // own piece, received pieces, sums
  std::vector<running_checksum> checksums_;      // of own blocks
};

}  // namespace

void encode(const membership& who, const checkpoint_id& id, const own_image& own, transport& link) {
  party all(who, link);
  announcement mine{id, {0, own.identity, who.of.ranks[who.own], 0}};
  all.attempt([&] { mine.record.image_bytes = size_of(own.image); });
  all.agree();
  group_header header = agreed_header(who, all.gather(std::vector{mine}));
  encoder(all, header, who.own, own).run();
}

}  // namespace mana::redundancy
