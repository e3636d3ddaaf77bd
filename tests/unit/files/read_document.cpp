// Sections that are CBOR, as they are and as they should not be.
#include <doctest/doctest.h>

#include <runtime/files/read_document.hpp>

#include <string>
#include <vector>

namespace files_read_document_tests {

using namespace mana::files;
using nlohmann::json;

namespace {

using bytes = std::vector<std::uint8_t>;

/// Arrays of one, each in another.
bytes nested(std::size_t levels) {
  bytes all(levels, 0x81);
  all.push_back(0x07);
  return all;
}

std::string refusal_of(const bytes& section) {
  try {
    read_document(section);
    return "";
  } catch (const document_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a document is what was written") {
  const json written{{"a", {1, 2, {{"b", json::binary({1, 2, 3})}}}}, {"c", "\xff\xfe"}};
  CHECK(read_document(json::to_cbor(written)) == written);
}

TEST_CASE("levels are limited, whatever a stack could hold") {
  CHECK(refusal_of(nested(deepest)) == "");
  CHECK(refusal_of(nested(deepest + 1)) == "it nests too deep");
  CHECK(refusal_of(nested(10'000'000)) == "it nests too deep");
  bytes maps;
  for (int i = 0; i < 1'000'000; ++i) maps.insert(maps.end(), {0xa1, 0x61, 'k'});
  CHECK(refusal_of(maps) == "it nests too deep");
}

TEST_CASE("numbers are integers") {
  CHECK(refusal_of(json::to_cbor(json{1, 2.5})) == "it has a number that is not an integer, or an unknown value");
  CHECK(refusal_of({0xfb, 0x7f, 0xef, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) == "it has a number that is not an "
                                                                              "integer, or an unknown value");
  CHECK(refusal_of(json::to_cbor(json{-1, 18446744073709551615u})) == "");
}

TEST_CASE("what mana does not write is refused, before the library sees it") {
  const std::string indefinite = "it has something of indefinite length";
  CHECK(refusal_of(bytes(1'000'000, 0x7f)) == indefinite);           // texts
  CHECK(refusal_of(bytes(1'000'000, 0x5f)) == indefinite);           // bytes
  CHECK(refusal_of({0x9f, 0x01, 0xff}) == indefinite);
  CHECK(refusal_of({0xbf, 0x61, 'k', 0x01, 0xff}) == indefinite);
  CHECK(refusal_of({0xc1, 0x01}) == "it has a tag");
  CHECK(refusal_of({0xf7}) != "");
  CHECK(refusal_of({0x1c}) != "");
}

TEST_CASE("what is cut off, goes on, or promises more than there is, is no document") {
  const bytes whole = json::to_cbor(json{{"a", {1, 2, 3}}, {"b", "text"}});
  for (auto end = whole.begin(); end != whole.end(); ++end) CHECK(refusal_of({whole.begin(), end}) != "");
  bytes more = whole;
  more.push_back(0);
  CHECK(refusal_of(more) != "");
  CHECK(refusal_of({0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}) != "");      // an array
  CHECK(refusal_of({0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) != "");      // bytes
}

}  // namespace files_read_document_tests
