#include <runtime/redundancy/rebuild.hpp>

#include <runtime/redundancy/chain.hpp>
#include <runtime/redundancy/pieces.hpp>

#include <algorithm>

namespace mana::redundancy {
namespace {

/// A member's first message.
struct claim {
  std::uint64_t generation = 0, nonce = 0, digest = 0;   // of the head; the digest is the same for all of a group
  std::uint64_t image_bytes = 0, identity = 0, parity_bytes = 0;
  std::uint8_t has_head = 0, has_image = 0;
};

claim claim_of(const own_files& own, const std::optional<group_header>& header) {
  claim mine;
  mine.has_image = own.has_image;
  mine.identity = own.identity;
  if (own.has_image) mine.image_bytes = size_of(own.image);
  if (own.has_parity) mine.parity_bytes = size_of(own.parity);
  if (!header) return mine;
  mine.has_head = 1;
  mine.generation = header->head.generation;
  mine.nonce = header->head.nonce;
  const std::vector<std::byte> common = header->bytes(0);
  mine.digest = XXH3_64bits(common.data(), common.size());
  return mine;
}

std::string name_of(const group& of, unsigned member, const claim& said) {
  return "rank " + std::to_string(of.ranks[member]) + " has parity of generation " + std::to_string(said.generation) +
         " (nonce " + std::to_string(said.nonce) + ")";
}

/// Refuses a mixture of heads of several checkpoints.
/// out:    a member with the head that all share
unsigned head_holder(const group& of, std::uint64_t generation, const std::vector<claim>& said) {
  unsigned holder = of.members();
  for (unsigned member = 0; member < of.members(); ++member) {
    if (!said[member].has_head) continue;
    if (said[member].generation != generation)
      throw redundancy_error(error_kind::mixed, name_of(of, member, said[member]) + ", generation " +
                                                    std::to_string(generation) + " is wanted");
    if (holder == of.members()) holder = member;
    if (said[member].digest != said[holder].digest)
      throw redundancy_error(error_kind::mixed, "parity files of different checkpoints: " +
                                                    name_of(of, holder, said[holder]) + ", " +
                                                    name_of(of, member, said[member]));
  }
  if (holder == of.members())
    throw redundancy_error(error_kind::lost, "no rank of " + std::to_string(of.ranks.front()) + " … " +
                                                 std::to_string(of.ranks.back()) +
                                                 " has a parity file whose head is intact");
  return holder;
}

bool is_of(const group_header& header, const group& of) {
  return header.head.parity == of.parity && std::equal(header.records.begin(), header.records.end(), of.ranks.begin(),
                                                       of.ranks.end(), [](const member_record& r, std::uint32_t rank) {
                                                         return r.rank == rank;
                                                       });
}

bool all_claim_to_be_whole(const group_header& header, const std::vector<claim>& said) {
  for (std::size_t member = 0; member < said.size(); ++member) {
    const claim& one = said[member];
    const member_record& record = header.records[member];
    if (!one.has_head || !one.has_image || one.parity_bytes != header.parity_file_bytes()) return false;
    if (one.image_bytes != record.image_bytes || one.identity != record.identity) return false;
  }
  return true;
}

class rebuilder {
 public:
  rebuilder(const membership& who, const own_files& own, transport& link, const std::function<void(std::uint64_t)>& did)
      : who_(who), own_(own), did_(did), all_(who, link) {}

  std::vector<repair> run(std::uint64_t generation, look how) {
    const std::vector<claim> said = make_claims();
    take_header(head_holder(who_.of, generation, said), said);
    if (how == look::at_claims && all_claim_to_be_whole(*header_, said)) return {};
    const member_blocks blocks(*header_, who_.own, own_.image, own_.parity);
    all_.attempt([&] { memory_.make(1 + 2 * who_.of.parity, header_->piece_bytes()); });
    all_.agree();
    const block_map map(who_.of, all_.gather(intact_blocks(blocks)), has_head_);
    const std::vector<broken_stripe> plan = map.plan();
    set_sizes();
    for (const broken_stripe& one : plan) chain(all_, *header_, who_.own, blocks, memory_, one).run(did_);
    finish(map);
    return map.repairs();
  }

 private:
  std::vector<claim> make_claims() {
    claim mine;
    all_.attempt([&] {
      if (own_.has_parity) header_ = read_header(own_.parity);
      if (header_ && header_->head.own_member != who_.own) header_.reset();
      mine = claim_of(own_, header_);
    });
    all_.agree();
    return all_.gather(std::vector{mine});
  }

  /// errors: the same on every member
  void take_header(unsigned holder, const std::vector<claim>& said) {
    std::vector<bool> wanting;
    for (const claim& one : said) {
      has_head_.push_back(one.has_head != 0);
      wanting.push_back(one.has_head == 0);
    }
    std::vector<std::byte> bytes(head_bytes_for(who_.of.members()));
    if (who_.own == holder && header_->head.head_bytes == bytes.size()) bytes = header_->bytes(holder);
    all_.spread(holder, wanting, bytes);
    all_.attempt([&] {
      if (!header_) header_ = group_header::parse(bytes);
      if (!header_ || !is_of(*header_, who_.of))
        throw redundancy_error(error_kind::mixed, "its parity file is of another group of ranks");
    });
    all_.agree();
  }

  /// out:    by block, 1 if it is intact. An unreadable block is not
  std::vector<std::uint8_t> intact_blocks(const member_blocks& blocks) const {
    std::vector<std::uint8_t> intact;
    for (unsigned block = 0; block < who_.of.members(); ++block) {
      const bool there = blocks.is_data(block) ? own_.has_image : own_.has_parity;
      intact.push_back(there && is_intact(blocks, block));
    }
    return intact;
  }

  bool is_intact(const member_blocks& blocks, unsigned block) const {
    running_checksum sum;
    try {
      for_each_piece(header_->head.block_bytes, header_->piece_bytes(), [&](auto at, std::size_t bytes) {
        blocks.read(block, at, memory_.piece(0, bytes));
        sum.add(memory_.piece(0, bytes));
        did_(bytes);
      });
    } catch (const redundancy_error&) { return false; }
    return sum.digest() == header_->checksum_of(who_.own, block);
  }

  const repair* own_loss(const block_map& map) const {
    for (const repair& one : map.repairs())
      if (one.rank == who_.of.ranks[who_.own]) return &one;
    return nullptr;
  }

  /// Sets the sizes of files that have another size. Bytes after the end of an image are damage too.
  void set_sizes() {
    all_.attempt([&] {
      const std::uint64_t image_bytes = header_->records[who_.own].image_bytes;
      if (size_of(own_.image) != image_bytes) set_size(own_.image, image_bytes);
      if (size_of(own_.parity) != header_->parity_file_bytes()) set_size(own_.parity, header_->parity_file_bytes());
    });
    all_.agree();
  }

  void finish(const block_map& map) {
    all_.attempt([&] {
      if (!has_head_[who_.own]) write_at(own_.parity, 0, header_->bytes(who_.own));
      if (own_loss(map) == nullptr) return;
      sync(own_.image);
      sync(own_.parity);
    });
    all_.agree();
  }

  const membership& who_;
  const own_files& own_;
  const std::function<void(std::uint64_t)>& did_;
  party all_;
  std::optional<group_header> header_;
  std::vector<bool> has_head_;           // by member
  piece_memory memory_;                  // own piece, received pieces, sent pieces
};

}  // namespace

std::optional<group_header> read_header(const local_file& parity) {
  std::vector<std::byte> bytes(head_bytes_for(most_members));
  bytes.resize(read_at(parity, 0, bytes));
  return group_header::parse(bytes);
}

std::vector<repair> rebuild(const membership& who, std::uint64_t generation, const own_files& own, look how,
                            transport& link, const std::function<void(std::uint64_t)>& did) {
  return rebuilder(who, own, link, did).run(generation, how);
}

}  // namespace mana::redundancy
