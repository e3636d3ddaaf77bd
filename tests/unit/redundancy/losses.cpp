// What is lost comes back, as long as the code allows it.
#include "../long_run.hpp"
#include "group_files.hpp"

#include <bit>

namespace redundancy_losses_tests {

using namespace mana::redundancy;

namespace {

/// Unequal, none a whole number of pages but for one.
group_files::sizes unequal_sizes(unsigned count) {
  const std::size_t some[] = {5000, 1, 12345, 0, 8192, 4095, 4097, 20011};
  return {some, some + count};
}

}  // namespace

// All losses of groups of up to 5, and in a long run of up to 8; otherwise of those with more members each seventh: look and m of
// all kinds among them.
TEST_CASE("redundancy: every loss of up to m members of every group of up to 8 comes back") {
  std::size_t cases = 0;
  for (unsigned n = 2; n <= 8; ++n)
    for (unsigned m = 1; m < n; ++m) {
      group_files files(m, unequal_sizes(n));
      REQUIRE(files.encode_all().all_well());
      for (unsigned lost = 1; lost < 1u << n; ++lost) {
        if (std::popcount(lost) > static_cast<int>(m)) continue;
        if (n > 5 && !is_long_run() && lost % 7 != (n + m) % 7) continue;
        for (unsigned i = 0; i < n; ++i)
          if (lost >> i & 1) files.lose(i);
        const outcome end = files.rebuild_all(lost % 2 ? look::at_contents : look::at_claims);
        INFO("n=", n, " m=", m, " lost=", lost, " ", end.errors[0]);
        REQUIRE(end.all_well());
        REQUIRE(files.is_as_it_was());
        REQUIRE(files.repaired[0].size() == static_cast<std::size_t>(std::popcount(lost)));
        files.found();
        ++cases;
      }
    }
  CHECK(cases == static_cast<std::size_t>(tried(357, 1757)));
}

TEST_CASE("redundancy: every loss of m+1 members is refused on all of them, with the ranks") {
  for (unsigned n = 2; n <= 6; ++n)
    for (unsigned m = 1; m + 1 < n; ++m)
      for (unsigned lost = 1; lost < 1u << n; ++lost) {
        if (std::popcount(lost) != static_cast<int>(m) + 1) continue;
        group_files files(m, unequal_sizes(n));
        REQUIRE(files.encode_all().all_well());
        for (unsigned i = 0; i < n; ++i)
          if (lost >> i & 1) files.lose(i);
        const outcome end = files.rebuild_all();
        REQUIRE(all_of_kind(end, error_kind::lost));
        for (unsigned i = 0; i < n; ++i)
          CHECK((end.errors[0].find("rank " + std::to_string(files.of.ranks[i]) + ":") != std::string::npos) ==
                (lost >> i & 1));
      }
}

TEST_CASE("redundancy: nothing is left of a group") {
  group_files files(1, {5000, 6000});
  REQUIRE(files.encode_all().all_well());
  files.lose(0);
  files.lose(1);
  CHECK(all_of_kind(files.rebuild_all(), error_kind::lost));
}

TEST_CASE("redundancy: images around a piece's size, with several pieces to a block") {
  constexpr std::size_t mib = 1u << 20;
  const std::pair<unsigned, group_files::sizes> groups[] = {
      {1, {mib - 1, mib + 1}}, {1, {mib, 0}}, {1, {0, 0, 0}},        {2, {3 * mib + 17, 1, 4 * mib, mib + 1}},
      {3, {5 * mib, 7, mib, 2 * mib - 1, 0}}, {8, group_files::sizes(9, mib / 2 + 3)}};
  for (const auto& [m, sizes] : groups) {
    if (m >= 3 && !is_long_run()) continue;
    group_files files(m, sizes);
    const outcome encoded = files.encode_all();
    REQUIRE(encoded.all_well());
    CHECK(encoded.most_bytes <= most_message_bytes);
    for (const unsigned first : {0u, files.count() - 1}) {
      for (unsigned i = 0; i < m; ++i) files.lose((first + i) % files.count());
      const outcome rebuilt = files.rebuild_all();
      REQUIRE(rebuilt.all_well());
      REQUIRE(files.is_as_it_was());
      CHECK(rebuilt.most_bytes <= most_message_bytes);
      files.found();
    }
  }
}

TEST_CASE("redundancy: with 1+1 the parity is the partner's image") {
  group_files files(1, {8192, 8192});
  REQUIRE(files.encode_all().all_well());
  const auto parity = files.parities[0].bytes();
  CHECK(std::equal(parity.end() - 8192, parity.end(), files.wanted_images[1].begin(), files.wanted_images[1].end()));
}

TEST_CASE("redundancy: nobody receives much more than what was lost") {
  constexpr std::size_t mib = 1u << 20;
  group_files files(1, {6 * mib, 6 * mib, 6 * mib, 6 * mib, 6 * mib, 6 * mib, 6 * mib});
  const outcome encoded = files.encode_all();
  REQUIRE(encoded.all_well());
  for (const std::size_t bytes : encoded.received_bytes) CHECK(bytes < 6 * mib + mib / 2);
  files.lose(3);
  const outcome rebuilt = files.rebuild_all();
  REQUIRE(rebuilt.all_well());
  for (const std::size_t bytes : rebuilt.received_bytes) CHECK(bytes < 7 * mib + mib / 2);   // image and parity
}

TEST_CASE("redundancy: what is lost of one file of a member is all that is written") {
  group_files files(2, unequal_sizes(5));
  REQUIRE(files.encode_all().all_well());
  files.lose_image(0);
  files.lose_parity(3);
  REQUIRE(files.rebuild_all(look::at_claims).all_well());
  CHECK(files.is_as_it_was());
  const std::vector<repair> wanted{{10, 3, 0, false}, {19, 0, 2, true}};
  for (const auto& told : files.repaired) CHECK(told == wanted);
}

TEST_CASE("redundancy: a whole group has nothing to repair") {
  for (const look how : {look::at_claims, look::at_contents}) {
    group_files files(2, unequal_sizes(5));
    REQUIRE(files.encode_all().all_well());
    REQUIRE(files.rebuild_all(how).all_well());
    CHECK(files.repaired[4].empty());
    CHECK(files.is_as_it_was());
  }
}

}  // namespace redundancy_losses_tests
