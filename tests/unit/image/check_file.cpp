// What the manifest says of the images is compared with them: an exchanged file is noticed as a damaged one is.
#include "../temporary_directory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>
#include <runtime/store/store.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/stat.h>

namespace check_file_tests {

using namespace mana;

namespace {

/// A complete checkpoint of three ranks, whose images hold `mark`.
store::generation make(const std::string& directory, std::uint8_t mark) {
  const store::generation g = store::begin_generation(directory);
  store::manifest m;
  m.ranks = 3;
  m.mpi = "MPICH";
  m.program = "bad\xff utf-8";
  for (std::uint32_t rank = 0; rank < m.ranks; ++rank) {
    const std::vector<image::section> sections{{"run", {mark, static_cast<std::uint8_t>(rank)}}};
    const std::string path = g.path + "/" + store::rank_file_name(rank);
    const auto written = image::write_rank_image(path, rank, m.ranks, sections, {});
    m.files.push_back({rank, store::rank_file_name(rank), written.file_bytes, written.memory_bytes, written.checksum});
  }
  store::commit(g, m);
  return g;
}

/// out: the text of the error that verifying ends in; "" if there is none
std::string verified(const store::generation& g, store::error_kind expected) {
  try {
    store::verify(g);
    return {};
  } catch (const store::store_error& error) {
    CHECK(error.kind() == expected);
    return error.what();
  }
}

std::filesystem::path file_of(const store::generation& g, std::uint32_t rank) {
  return std::filesystem::path(g.path) / store::rank_file_name(rank);
}

}  // namespace

TEST_CASE("a sound checkpoint is sound; a name that is no UTF-8 does not stop it") {
  const temporary_directory directory;
  const auto g = make(directory.path(), 1);
  CHECK(verified(g, {}) == "");
  CHECK(store::read_manifest(g.path).program == "bad\xef\xbf\xbd utf-8");
}

TEST_CASE("an image that is missing, short, changed or of another rank is named") {
  const temporary_directory directory;
  const auto g = make(directory.path(), 1);
  const auto one = file_of(g, 1), two = file_of(g, 2);
  const std::string sound = read_bytes(one);
  const auto with = [&](const std::string& bytes) {
    directory.write(std::filesystem::relative(one, directory.path()), bytes);
  };

  with(sound.substr(1));
  CHECK(verified(g, store::error_kind::damaged).find(one.string() + ": the image has ") == 0);
  std::string changed = sound;
  changed[sound.size() / 2] ^= 1;
  with(changed);
  CHECK(verified(g, store::error_kind::damaged).find(one.string() + ": the image is damaged") == 0);
  with(read_bytes(two));
  CHECK(verified(g, store::error_kind::damaged).find(one.string() + ": this is the image of rank 2 of 3") == 0);
  with(read_bytes(file_of(make(directory.path(), 2), 1)));
  CHECK(verified(g, store::error_kind::damaged).find(one.string() + ": this image belongs to another checkpoint") == 0);
  with(sound);
  CHECK(verified(g, {}) == "");
  std::filesystem::remove(one);
  CHECK(verified(g, store::error_kind::missing_file).find(one.string() + ": the image of rank 1 is missing") == 0);
}

TEST_CASE("a generation's directory may be given with or without a slash, relative or not") {
  const temporary_directory directory;
  const auto g = make(directory.path(), 1);
  for (const std::string& name : {g.path, g.path + "/", directory.path().string() + "/./gen-000001//"})
    CHECK(store::newest_complete(name).path == g.path);
  CHECK(store::newest_complete(directory.path().string() + "/").path == g.path);
}

TEST_CASE("a directory of checkpoints may be called as a generation is") {
  const temporary_directory directory;
  const std::string name = directory.path() / "gen-7";
  CHECK(make(name, 1).number == 1);
  CHECK(make(name, 2).number == 2);
  CHECK(store::newest_complete(name).number == 2);
}

TEST_CASE("directories are made for their owner alone") {
  const temporary_directory directory;
  const auto g = make((directory.path() / "a" / "b").string() + "/", 1);
  for (const std::string part : {"a", "a/b", "a/b/gen-000001"}) {
    struct stat about{};
    REQUIRE(stat((directory.path() / part).c_str(), &about) == 0);
    CHECK((about.st_mode & 07777) == 0700);
  }
  CHECK(g.path == (directory.path() / "a/b/gen-000001").string());
}

TEST_CASE("a file with the name of a generation is nobody's to count or remove") {
  const temporary_directory directory;
  const auto file = directory.write("gen-000002", "a user's");
  make(directory.path(), 1);
  CHECK_THROWS_WITH_AS(make(directory.path(), 2),
                       doctest::Contains("gen-000002: the directory cannot be made: File exists"), store::store_error);
  CHECK(read_bytes(file) == "a user's");
}

TEST_CASE("a manifest that cannot be written leaves the checkpoint before as the newest") {
  const temporary_directory directory;
  const auto before = make(directory.path(), 1);
  const auto g = store::begin_generation(directory.path());
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit none{0, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &none);
  CHECK_THROWS_WITH_AS(store::commit(g, store::manifest{}), doctest::Contains("ulimit -f"), store::store_error);
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK(store::newest_complete(directory.path()).path == before.path);
  store::abandon(g);
  CHECK(store::list(directory.path()).size() == 1);
}

}  // namespace check_file_tests
