// What an image needs of a live MPI: its form in the image, and what a live MPI lacks.
#include <doctest/doctest.h>

#include <runtime/job/needs.hpp>

#include <exception>
#include <string>

namespace job_needs_tests {

using namespace mana::job;

namespace {

constexpr std::uint32_t rare = 0x2c0, common = 0x209;

/// The live MPI of these tests.
std::int64_t bytes_here(std::uint32_t code) { return code == common ? 4 : -1; }

const live_offer small{"Open MPI 4.1.4", 32767, false};

std::string missing(const needs& all) { return unmet(all, small, bytes_here); }

bool has(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (text.find(word) == std::string::npos) return false;
  return !text.empty();
}

}  // namespace

TEST_CASE("needs come out of an image as they went in") {
  const needs all{1048575, 77, true, {{rare, "MPI_LOGICAL1", 1, false}, {0x21, "MPI_SUM", 0, true}}};
  const needs read = decode_needs(encode(all));
  CHECK(read.told_tag_bound == 1048575);
  CHECK(read.largest_tag == 77);
  CHECK(read.large_counts);
  REQUIRE(read.objects.size() == 2);
  CHECK(read.objects[0].code == rare);
  CHECK(read.objects[0].name == "MPI_LOGICAL1");
  CHECK(read.objects[0].bytes == 1);
  CHECK_FALSE(read.objects[0].by_operation);
  CHECK(read.objects[1].by_operation);
  CHECK(decode_needs(encode({})).objects.empty());
}

TEST_CASE("bytes that are no needs are refused") {
  const std::vector<std::uint8_t> none, text{0x61, 'x'}, map{0xa0};
  for (const auto& bytes : {none, text, map}) CHECK_THROWS_AS(decode_needs(bytes), std::exception);
}

TEST_CASE("what the live MPI has is not missing") {
  CHECK(missing({}).empty());
  CHECK(missing({32767, 32767, false, {{common, "MPI_INT", 4, true}}}).empty());
}

TEST_CASE("what is missing is named, with who needs it") {
  CHECK(has(missing({1048575, 0, false, {}}), {"tags up to 1048575 (MPI_TAG_UB)", "Open MPI 4.1.4 has tags up to 32767 here"}));
  CHECK(has(missing({0, 40000, false, {}}), {"an operation under way has the tag 40000"}));
  CHECK(has(missing({0, 0, true, {}}), {"counts that no int holds", "Open MPI 4.1.4 has no functions"}));
  CHECK(has(missing({0, 0, false, {{rare, "MPI_LOGICAL1", 1, false}}}),
            {"a datatype of the program is made of MPI_LOGICAL1, which Open MPI 4.1.4 lacks here"}));
  CHECK(has(missing({0, 0, false, {{rare, "MPI_LOGICAL1", 1, true}}}), {"an operation under way uses MPI_LOGICAL1"}));
  CHECK(has(missing({0, 0, false, {{common, "MPI_INT", 8, true}}}), {"MPI_INT, which had 8 bytes", "has it with 4 here"}));
}

TEST_CASE("the remedy for tags says with which bound the program should have been started") {
  CHECK(has(remedy_of_unmet({1048575, 0, false, {}}, small), {"--tag-ub 32767"}));
  CHECK(remedy_of_unmet({0, 0, true, {}}, small) == "restart over another MPI");
}

}  // namespace job_needs_tests
