// No change to a manifest goes unnoticed, none makes the reader crash, and what it cannot mean is refused by name.
#include "../temporary_directory.hpp"

#include <runtime/store/manifest.hpp>
#include <runtime/store/store.hpp>

#include <doctest/doctest.h>

namespace manifest_tests {

using namespace mana::store;

namespace {

manifest sample() {
  manifest m;
  m.generation = 7;
  m.mana = "1.2.3";
  m.ranks = 2;
  m.mpi = "MPICH";
  m.mpi_version = "4.0.2";
  m.program = "/bin/pro\"gram\n\xc3\xa4\x1b";
  m.build_id = "abc";
  m.unix_time_s = 1'700'000'000;
  m.mode = "plain, lz4";
  m.builds_on = {3, 5};
  m.phases_s = {0.5, 1e-5, 0.25, 3, 0.125, 1e9, 2.5, 6};
  m.files = {{0, rank_file_name(0), 4096, 1 << 20, 0xfeed, 12, 0.5, 77}, {1, rank_file_name(1), 1, 2, 3, 0, 0}};
  m.copies = {{"file-01-ab", 4096, 0xbeef}, {"file-02-cd", 1, 2}};
  m.warnings = {"one", "two"};
  return m;
}

std::string refusal(const std::string& text, error_kind expected = error_kind::damaged) {
  try {
    from_json(text);
    return "accepted";
  } catch (const store_error& error) {
    CHECK(error.kind() == expected);
    return error.what();
  }
}

bool refused(const std::string& text) {
  try {
    from_json(text);
    return false;
  } catch (const store_error&) {
    return true;
  }
}

template <class Change>
std::string refusal_of(Change&& change) {
  manifest m = sample();
  change(m);
  return refusal(to_json(m));
}

}  // namespace

TEST_CASE("a manifest reads as it was written") {
  const std::string text = to_json(sample());
  const manifest m = from_json(text);
  CHECK(to_json(m) == text);
  CHECK(m.version == 2);
  CHECK(m.builds_on == std::vector<std::uint64_t>{3, 5});
  CHECK(m.phases_s.park == 1e-5);
  CHECK(m.phases_s.total == 6);
  CHECK(m.files.at(0).kept_bytes == 12);
  CHECK(m.files.at(0).writer_bytes == 77);
  CHECK(m.program == sample().program);
  CHECK(m.copies.at(0).bytes == 4096);
  CHECK(m.copies.at(0).checksum == 0xbeef);
}

TEST_CASE("a manifest of a mana that did not list copies is read; names that mana does not give to copies are refused") {
  std::string text = to_json(sample());
  const std::size_t at = text.find("  \"copies\""), end = text.find("  \"warnings\"");
  REQUIRE(at != std::string::npos);
  text.erase(at, end - at);
  CHECK(from_json(sealed(text.substr(0, text.rfind(",\n  \"checksum\"")) + "\n}\n")).copies.empty());
  for (const char* const name : {"file", "../file-1", "file-1/2", "rank-00000.mana", "file-1\n", ""})
    CHECK(refusal_of([&](manifest& m) { m.copies[0].name = name; }).find("a copy has a name that mana does not give") == 0);
  CHECK(refusal_of([](manifest& m) { m.copies[1].name = m.copies[0].name; }).find("not in the order") != std::string::npos);
}

TEST_CASE("a manifest of version 1 is read") {
  const char* const text =
      "{\n  \"mana_checkpoint\": 1,\n  \"ranks\": 1,\n  \"mpi\": \"MPICH\",\n  \"mpi_version\": \"4.0.2\",\n"
      "  \"program\": \"p\",\n  \"build_id\": \"b\",\n  \"unix_time_s\": 12,\n  \"files\": [\n    {\n      \"rank\": 0,\n"
      "      \"file\": \"rank-00000.mana\",\n      \"bytes\": 5,\n      \"memory_bytes\": 100,\n"
      "      \"checksum\": \"000000000000feed\"\n    }\n  ],\n  \"warnings\": [\n    \"one\"\n  ],\n"
      "  \"checksum\": \"2b13e9efdc06b9a6\"\n}\n";
  const manifest m = from_json(text);
  CHECK(m.version == 1);
  CHECK(m.generation == 0);
  CHECK(m.files.at(0).checksum == 0xfeed);
  std::string changed = text;
  changed[changed.find("MPICH")] = 'm';
  CHECK(refusal(changed) == "its checksum is wrong");
}

TEST_CASE("every flipped bit is noticed, every cut, and what was added") {
  const std::string sound = to_json(sample());
  int unnoticed = 0;
  for (std::size_t at = 0; at < sound.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = sound;
      flipped[at] = static_cast<char>(static_cast<unsigned char>(flipped[at]) ^ (1u << bit));
      unnoticed += !refused(flipped);
    }
  for (std::size_t n = 0; n < sound.size(); ++n) unnoticed += !refused(sound.substr(0, n));
  for (const char* const more : {" ", "\n", "{}", "x"}) unnoticed += !refused(sound + more);
  CHECK(unnoticed == 0);
}

TEST_CASE("what nests deep, and what is long, is refused and crashes nothing") {
  for (const char* const open : {"[", "{\"a\":"}) {
    std::string deep;
    for (int i = 0; i < 200'000; ++i) deep += open;
    CHECK(refusal(deep) == "it nests too deep");
    CHECK(refusal(sealed("{\"mana_checkpoint\": 2, \"a\": " + deep)) == "it nests too deep");
  }
  CHECK(refusal(std::string(1 << 20, ' ')) == "it is not what mana wrote");
  CHECK(refusal("{\"mana_checkpoint\": 1e99999}") == "it is not what mana wrote");
}

TEST_CASE("absurd values are refused by their names, though their checksum is right") {
  CHECK(refusal_of([](manifest& m) { m.ranks = 4'294'967'295u; }).find("\"ranks\" is absurd: 4294967295") == 0);
  CHECK(refusal_of([](manifest& m) { m.ranks = 3; }) == "it does not name an image for each rank");
  CHECK(refusal_of([](manifest& m) { m.files[1].rank = 0; }) == "its images are not in the order of ranks");
  CHECK(refusal_of([](manifest& m) { m.files[1].name = "../../x"; }).find("the image of rank 1 has a name that") == 0);
  CHECK(refusal_of([](manifest& m) { m.files[1].name = rank_file_name(0); }).find("the image of rank 1 has a name") == 0);
  CHECK(refusal_of([](manifest& m) { m.files[0].bytes = ~0ull; }).find("\"bytes\" is absurd") == 0);
  CHECK(refusal_of([](manifest& m) { m.files[0].write_s = -1; }).find("\"write_s\" is absurd") == 0);
  CHECK(refusal_of([](manifest& m) { m.unix_time_s = -5; }).find("\"unix_time_s\" is absurd: -5") == 0);
  CHECK(refusal_of([](manifest& m) { m.phases_s.park = -1; }).find("\"park\" is absurd") == 0);
  CHECK(refusal_of([](manifest& m) { m.builds_on = {7}; }) == "\"builds_on\" names impossible generations");
  CHECK(refusal_of([](manifest& m) { m.builds_on = {5, 3}; }) == "\"builds_on\" names impossible generations");
  std::string text = to_json(sample());
  text.replace(text.find("\"mana_checkpoint\": 2"), 20, "\"mana_checkpoint\": 9");
  CHECK(refusal(sealed(text.substr(0, text.rfind(",\n  \"checksum\"")) + "\n}\n"), error_kind::other_version)
            .find("the manifest is of version 9, this mana reads 1 and 2") == 0);
}

}  // namespace manifest_tests
