// What was changed unnoticed, and files that do not belong together.
#include "group_files.hpp"

namespace redundancy_damage_tests {

using namespace mana::redundancy;

namespace {

group_files encoded(unsigned parity, const group_files::sizes& sizes) {
  group_files files(parity, sizes);
  REQUIRE(files.encode_all().all_well());
  return files;
}

group_files four_and_two() { return encoded(2, {70000, 65536, 3, 40001, 50000, 0}); }

constexpr std::uint64_t head_bytes = 4096;      // of six members

}  // namespace

TEST_CASE("redundancy: a flipped bit anywhere is found and repaired") {
  group_files files = four_and_two();
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 300; ++i) {
    const unsigned member = static_cast<unsigned>(random() % files.count());
    const bool image = i % 2 == 0 && !files.wanted_images[member].empty();
    const memory_file& file = image ? files.images[member] : files.parities[member];
    file.flip(random() % size_of(file.file("?")), static_cast<unsigned>(random() % 8));
    const outcome end = files.rebuild_all();
    REQUIRE(end.all_well());
    REQUIRE(files.repaired[0].size() == 1);
    CHECK(files.repaired[0][0].rank == files.of.ranks[member]);
    CHECK(files.repaired[0][0].image_blocks == (image ? 1 : 0));
    REQUIRE(files.is_as_it_was());
  }
}

TEST_CASE("redundancy: every bit of a head is looked at") {
  group_files files = four_and_two();
  const auto good = files.parities[2].bytes();
  CHECK(group_header::parse(good).has_value());
  for (std::size_t bit = 0; bit < head_bytes * 8; ++bit) {
    auto bad = good;
    bad.resize(head_bytes);
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    CHECK_FALSE(group_header::parse(bad).has_value());
  }
  for (std::size_t bytes = 0; bytes < head_bytes; bytes += 61)
    CHECK_FALSE(group_header::parse(bytes_view(good).first(bytes)).has_value());
}

TEST_CASE("redundancy: damage of many members in different stripes is more than m members, and still repaired") {
  group_files files = four_and_two();
  const std::uint64_t block = block_bytes_for(70000, 4);
  const stripes layout{6, 2};
  for (const unsigned member : {0u, 1u, 3u, 4u})       // their first blocks, which are all in different stripes
    files.images[member].flip(5, 3);
  CHECK(layout.stripe_of(0, 0) != layout.stripe_of(1, 0));
  files.parities[5].flip(head_bytes + block + 9, 0);
  REQUIRE(files.rebuild_all().all_well());
  CHECK(files.repaired[2].size() == 5);
  CHECK(files.is_as_it_was());
}

TEST_CASE("redundancy: damage and losses together, up to what a stripe can bear") {
  group_files files = four_and_two();
  files.lose(4);
  files.images[0].flip(5, 3);
  REQUIRE(files.rebuild_all(look::at_claims).all_well());
  CHECK(files.is_as_it_was());
  files.lose(4);
  files.lose(5);
  files.images[0].flip(5, 3);
  const outcome end = files.rebuild_all();
  CHECK(all_of_kind(end, error_kind::lost));
  CHECK(end.errors[2].find("rank 10: image 1 of 4 blocks") != std::string::npos);
}

TEST_CASE("redundancy: truncated and extended files are as they were again") {
  for (const bool truncated : {true, false}) {
    group_files files = four_and_two();
    const auto change = [&](const memory_file& file) {
      set_size(file.file("?"), truncated ? size_of(file.file("?")) / 2 : size_of(file.file("?")) + 5000);
    };
    change(files.images[0]);
    change(files.parities[1]);
    REQUIRE(files.rebuild_all(look::at_claims).all_well());
    CHECK(files.is_as_it_was());
  }
}

TEST_CASE("redundancy: two members' files that were exchanged are repaired") {
  group_files files = four_and_two();
  std::swap(files.images[0], files.images[1]);
  std::swap(files.parities[0], files.parities[1]);
  REQUIRE(files.rebuild_all().all_well());
  CHECK(files.is_as_it_was());
}

TEST_CASE("redundancy: a head that is lost comes from the others") {
  group_files files = four_and_two();
  for (const unsigned member : {0u, 1u, 2u, 4u, 5u}) files.parities[member].flip(20, 1);
  REQUIRE(files.rebuild_all(look::at_claims).all_well());
  const std::vector<repair> wanted{{10, 0, 0, true}, {13, 0, 0, true}, {16, 0, 0, true}, {22, 0, 0, true},
                                   {25, 0, 0, true}};
  CHECK(files.repaired[3] == wanted);
  CHECK(files.is_as_it_was());
  for (unsigned member = 0; member < 6; ++member) files.parities[member].flip(20, 1);
  CHECK(all_of_kind(files.rebuild_all(), error_kind::lost));
}

TEST_CASE("redundancy: parity of two checkpoints is not mixed") {
  for (const bool other_generation : {true, false}) {
    group_files files(1, {5000, 6000, 7000}), other(1, {5000, 6000, 7000});
    REQUIRE(files.encode_all(7, 99).all_well());
    REQUIRE(other.encode_all(other_generation ? 6 : 7, other_generation ? 99 : 98).all_well());
    std::swap(files.parities[1], other.parities[1]);
    files.lose_image(0);
    const outcome end = files.rebuild_all();
    CHECK(all_of_kind(end, error_kind::mixed));
    CHECK(end.errors[0].find("rank 13") != std::string::npos);
    CHECK(files.images[0].bytes().empty());
  }
}

TEST_CASE("redundancy: parity of another generation or group than is wanted") {
  group_files files = encoded(1, {5000, 6000, 7000});
  CHECK(all_of_kind(files.rebuild_all(look::at_claims, 8), error_kind::mixed));
  files.of.ranks[2] = 77;
  CHECK(all_of_kind(files.rebuild_all(), error_kind::mixed));
  files.of.ranks[2] = 16;
  files.of.parity = 2;
  CHECK(all_of_kind(files.rebuild_all(), error_kind::mixed));
}

TEST_CASE("redundancy: a parity file tells which group wrote it") {
  group_files files = encoded(1, {5000, 6000, 7000});
  const auto header = read_header(files.parities[1].file("parity1"));
  REQUIRE(header.has_value());
  CHECK(header->head.generation == 7);
  CHECK(header->head.nonce == 99);
  CHECK(header->head.own_member == 1);
  CHECK(header->records[2].rank == 16);
  CHECK(header->records[2].image_bytes == 7000);
  CHECK(header->records[2].identity == group_files::identity(2));
  CHECK_FALSE(read_header(files.images[0].file("image0")).has_value());
}

TEST_CASE("redundancy: an image of another identity is not believed") {
  group_files files = encoded(1, {5000, 6000, 7000});
  const outcome end = run_members(3, [&](unsigned i, auto& link) {
    own_files own = files.own_files(i);
    if (i == 1) own.identity = 1;
    rebuild({files.of, i}, 7, own, look::at_claims, link);
  });
  CHECK(end.all_well());                        // all was read, and its contents are right
  CHECK(files.is_as_it_was());
}

}  // namespace redundancy_damage_tests
