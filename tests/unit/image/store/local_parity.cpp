// Files that ranks make together beside the images on their nodes: INV-55.
#include "../../temporary_directory.hpp"

#include <runtime/image/write/image_writer.hpp>
#include <runtime/store/manifest.hpp>
#include <runtime/store/nodes/local_parity.hpp>
#include <runtime/store/nodes/local_store.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace store_local_parity_tests {

using namespace mana;
using store::error_kind;
using store::shared_work_file;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t generation = 7;

struct node {
  temporary_directory scratch;
  std::string directory = (scratch.path() / "l").string();
  fs::path of(const std::string& name) const { return fs::path(directory) / "gen-000007" / name; }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(of(""))) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
};

shared_work_file make(const node& n) {
  return shared_work_file::make(n.directory, generation, store::parity_file_name(1));
}

void put(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  fs::permissions(file, fs::perms(0600));
}

template <class Action>
std::string refused(error_kind expected, Action&& action) {
  try {
    action();
    return "not refused";
  } catch (const store::store_error& error) {
    CHECK(error.kind() == expected);
    return error.what();
  }
}

store::local_image image_with(const node& n, const store::parity_group& group) {
  const std::vector<image::section> sections{{"run", std::vector<std::uint8_t>(100)}};
  const auto w = image::write_rank_image(store::begin_local(n.directory, generation, 1), 1, 4, sections, {});
  store::local_image about;
  about.generation = generation;
  about.rank = 1;
  about.ranks = 4;
  about.bytes = w.file_bytes;
  about.checksum = w.checksum;
  about.group = group;
  return about;
}

/// With its checksum put right.
store::local_image read_changed(std::string text, const std::string& what, const std::string& by) {
  text = text.substr(0, text.rfind(",\n  \"checksum\"")) + "\n}\n";
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return store::sidecar_from_json(store::sealed(text.replace(at, what.size(), by)));
}

}  // namespace

TEST_CASE("INV-55 a file that is made together has no name of its own before it is finished") {
  const node n;
  {
    const shared_work_file left = make(n);
    CHECK(n.names() == std::vector<std::string>{"rank-00001.parity.new"});
  }
  CHECK(n.names().empty());
  shared_work_file file = make(n);
  REQUIRE(write(file.get(), "bytes", 5) == 5);
  file.finish();
  { const shared_work_file moved = std::move(file); }
  CHECK(n.names() == std::vector<std::string>{"rank-00001.parity"});
  CHECK(read_bytes(n.of("rank-00001.parity")) == "bytes");
  struct stat about{};
  REQUIRE(stat(n.of("rank-00001.parity").c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0600);
}

TEST_CASE("what an earlier try left goes, and nothing is written over") {
  const node n;
  fs::create_directories(n.of(""));
  fs::permissions(n.directory, fs::perms(0700));
  fs::permissions(n.of(""), fs::perms(0700));
  put(n.scratch.path() / "mine", "mine");
  fs::create_symlink(n.scratch.path() / "mine", n.of("rank-00001.parity.new"));
  shared_work_file file = make(n);
  REQUIRE(write(file.get(), "new", 3) == 3);
  CHECK(read_bytes(n.scratch.path() / "mine") == "mine");
  put(n.of("rank-00001.parity"), "old");
  const std::string said = refused(error_kind::unwritable, [&] { file.finish(); });
  CHECK(said.find("there is a file of this name already") != std::string::npos);
  CHECK(read_bytes(n.of("rank-00001.parity")) == "old");
}

TEST_CASE("a file that is there is repaired in its place, a link is not") {
  const node n;
  const auto open = [&] { return shared_work_file::open_or_make(n.directory, generation, "rank-00001.mana"); };
  CHECK_FALSE(open().was_there());
  put(n.of("rank-00001.mana"), "image");
  {
    shared_work_file file = open();
    CHECK(file.was_there());
    REQUIRE(pwrite(file.get(), "I", 1, 0) == 1);
    file.finish();
  }
  CHECK(read_bytes(n.of("rank-00001.mana")) == "Image");
  fs::rename(n.of("rank-00001.mana"), n.of("aside"));
  fs::create_symlink("aside", n.of("rank-00001.mana"));
  refused(error_kind::not_own, open);
}

TEST_CASE("a sidecar says who has the parity, and an older one says nothing of it") {
  const node n;
  const store::local_image about = image_with(n, {2, {3, 1, 0}});
  const std::string text = store::to_json(about);
  CHECK(store::sidecar_from_json(text) == about);
  const std::string ranks = "[\n      3,\n      1,\n      0\n    ]";
  const std::string own = "\"redundancy\": {\n    \"parity\": 2,\n    \"ranks\": " + ranks + "\n  }";
  for (const char* wrong : {"[1, 1, 0]", "[0, 2]", "[]", "[4, 1, 0]", "[-1, 1, 0]", "[1, 0]", "[[1], 1, 0]", "7"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(read_changed(text, ranks, wrong), store::store_error);
  }
  CHECK_THROWS_AS(read_changed(text, own, "\"more\": 1"), store::store_error);
  std::string first_version = text;
  first_version.replace(first_version.find(own), own.size() + 4, "");
  const store::local_image older = read_changed(first_version, "\"mana_local_image\": 2", "\"mana_local_image\": 1");
  CHECK(older.version == 1);
  CHECK(older.group == store::parity_group{});
  CHECK(older.bytes == about.bytes);
}

TEST_CASE("a rank removes its parity with its image") {
  const node n;
  store::finish_local(n.directory, image_with(n, {2, {3, 1, 0}}));
  shared_work_file file = make(n);
  file.finish();
  put(n.of("rank-00001.mana.new"), "left");
  CHECK(n.names().size() == 4);
  CHECK(store::remove_local(n.directory, generation, 1));
  CHECK_FALSE(fs::exists(n.of("")));
}

}  // namespace store_local_parity_tests
