// Paths of a checkpoint where they are now: mana restart --map.
#include <runtime/files/path_map.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace files_path_map_tests {

using mana::files::path_map;
using mana::files::path_map_error;

namespace {

path_map map_of(std::initializer_list<const char*> words) {
  path_map map;
  for (const char* word : words) map.add(word);
  return map;
}

std::string refusal(std::initializer_list<const char*> words) {
  try {
    map_of(words);
  } catch (const path_map_error& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("nothing is moved where nothing was said") {
  const path_map map;
  CHECK(map.empty());
  CHECK(map("/a/b") == "/a/b");
  CHECK(map("") == "");
}

TEST_CASE("whole components only") {
  const auto map = map_of({"/a/b=/n"});
  CHECK_FALSE(map.empty());
  CHECK(map("/a/b") == "/n");
  CHECK(map("/a/b/c d") == "/n/c d");
  CHECK(map("/a/bc") == "/a/bc");
  CHECK(map("/a") == "/a");
  CHECK(map("/x/a/b") == "/x/a/b");
}

TEST_CASE("the longest counts, whichever was said first") {
  for (const auto& map : {map_of({"/a=/n", "/a/b=/m/k"}), map_of({"/a/b=/m/k", "/a=/n"})}) {
    CHECK(map("/a/b/f") == "/m/k/f");
    CHECK(map("/a/c/f") == "/n/c/f");
  }
}

TEST_CASE("names can be exchanged") {
  const auto map = map_of({"/a=/b", "/b=/a"});
  CHECK(map("/a/x") == "/b/x");
  CHECK(map("/b/x") == "/a/x");
}

TEST_CASE("the root is a path too") {
  const auto all = map_of({"/=/mnt"});
  CHECK(all("/") == "/mnt");
  CHECK(all("/a") == "/mnt/a");
  const auto up = map_of({"/a=/"});
  CHECK(up("/a") == "/");
  CHECK(up("/a/b") == "/b");
}

TEST_CASE("what is not absolute has no place") {
  const auto map = map_of({"/=/mnt"});
  CHECK(map("pipe:[17]") == "pipe:[17]");
  CHECK(map("a/b") == "a/b");
}

TEST_CASE("as people write paths") {
  CHECK(map_of({"/a/=/n/"})("/a/f") == "/n/f");
  CHECK(map_of({"//a//./b/../b=/n//m"})("/a/b/f") == "/n/m/f");
  CHECK(map_of({"/a=b/c=/n=1"})("/a=b/c/f") == "/n=1/f");   // taken apart before the first /
  CHECK(map_of({"/a=/n", "/a/=/n"})("/a") == "/n");         // twice the same is said once more
}

TEST_CASE("words that are refused say why") {
  CHECK(says(refusal({"/a"}), "no ="));
  CHECK(says(refusal({""}), "no ="));
  CHECK(says(refusal({"=/n"}), "the old path is empty"));
  CHECK(says(refusal({"/a="}), "the new path is empty"));
  CHECK(says(refusal({"="}), "the old path is empty"));
  CHECK(says(refusal({"a=/n"}), "the old path does not begin with /"));
  CHECK(says(refusal({"/a=n"}), "the new path does not begin with /"));
  CHECK(says(refusal({"/a=/n", "/a=/m"}), "this path already moves to /n"));
}

}  // namespace files_path_map_tests
