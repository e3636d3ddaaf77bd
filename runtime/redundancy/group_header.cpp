#include <runtime/redundancy/group_header.hpp>

#include <runtime/redundancy/scheme.hpp>

#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace mana::redundancy {
namespace {

std::size_t used_bytes(unsigned members) noexcept {
  return sizeof(parity_head) + members * sizeof(member_record) + std::size_t{members} * members * sizeof(std::uint64_t);
}

std::uint64_t checksum_of_head(std::vector<std::byte> bytes) {
  std::memset(bytes.data() + offsetof(parity_head, checksum), 0, sizeof(std::uint64_t));
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// The numbers are consistent, even if another program wrote them.
bool is_sound(const parity_head& head, std::size_t bytes) noexcept {
  return std::memcmp(head.magic, parity_magic, sizeof parity_magic) == 0 && head.version == parity_version &&
         head.members >= 2 && head.members <= most_members && head.parity >= 1 && head.parity <= most_parity &&
         head.parity < head.members && head.own_member < head.members && head.zero == 0 &&
         head.head_bytes == head_bytes_for(head.members) && head.head_bytes <= bytes && head.block_bytes != 0 &&
         head.block_bytes % page_bytes == 0 && head.block_bytes <= (std::uint64_t{1} << 62) / head.members;
}

bool fit(const std::vector<member_record>& records, const parity_head& head) noexcept {
  const std::uint64_t most = (head.members - head.parity) * head.block_bytes;
  return std::all_of(records.begin(), records.end(),
                     [&](const member_record& r) { return r.image_bytes <= most && r.zero == 0; });
}

}  // namespace

std::uint32_t head_bytes_for(unsigned members) noexcept {
  return static_cast<std::uint32_t>((used_bytes(members) + page_bytes - 1) / page_bytes * page_bytes);
}

group_header group_header::make(std::uint64_t generation, std::uint64_t nonce, unsigned parity,
                                std::vector<member_record> records) {
  group_header made;
  std::uint64_t largest = 0;
  for (const member_record& record : records) largest = std::max(largest, record.image_bytes);
  const auto members = static_cast<std::uint32_t>(records.size());
  std::memcpy(made.head.magic, parity_magic, sizeof parity_magic);
  made.head.version = parity_version;
  made.head.head_bytes = head_bytes_for(members);
  made.head.generation = generation;
  made.head.nonce = nonce;
  made.head.block_bytes = block_bytes_for(largest, members - parity);
  made.head.members = members;
  made.head.parity = parity;
  made.records = std::move(records);
  made.block_checksums.resize(std::size_t{members} * members);
  return made;
}

std::optional<group_header> group_header::parse(bytes_view bytes) {
  group_header read;
  if (bytes.size() < sizeof read.head) return {};
  std::memcpy(&read.head, bytes.data(), sizeof read.head);
  if (!is_sound(read.head, bytes.size())) return {};
  if (checksum_of_head({bytes.begin(), bytes.begin() + read.head.head_bytes}) != read.head.checksum) return {};
  read.records.resize(read.head.members);
  read.block_checksums.resize(std::size_t{read.head.members} * read.head.members);
  const std::size_t bytes_of_records = read.records.size() * sizeof(member_record);
  std::memcpy(read.records.data(), bytes.data() + sizeof read.head, bytes_of_records);
  std::memcpy(read.block_checksums.data(), bytes.data() + sizeof read.head + bytes_of_records,
              read.block_checksums.size() * sizeof(std::uint64_t));
  if (!fit(read.records, read.head)) return {};
  return read;
}

std::vector<std::byte> group_header::bytes(unsigned member) const {
  std::vector<std::byte> all(head.head_bytes);
  parity_head own = head;
  own.own_member = member;
  own.checksum = 0;
  const std::size_t bytes_of_records = records.size() * sizeof(member_record);
  std::memcpy(all.data(), &own, sizeof own);
  std::memcpy(all.data() + sizeof own, records.data(), bytes_of_records);
  std::memcpy(all.data() + sizeof own + bytes_of_records, block_checksums.data(),
              block_checksums.size() * sizeof(std::uint64_t));
  own.checksum = checksum_of_head(all);
  std::memcpy(all.data(), &own, sizeof own);
  return all;
}

}  // namespace mana::redundancy
