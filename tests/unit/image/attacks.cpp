// What others may plant in a directory of checkpoints is refused by its name, and nothing of theirs is touched.
#include "../temporary_directory.hpp"
#include "checkpoints.hpp"
#include "in_child.hpp"

#include <runtime/image/read/rank_image.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attacks_tests {

using namespace mana;
using store::error_kind;
namespace fs = std::filesystem;

namespace {

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

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }
int mode_of(const fs::path& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 ? static_cast<int>(about.st_mode & 07777) : -1;
}

std::string look(const store::generation& g) {
  return refused(error_kind::not_own, [&] {
    const auto m = store::read_manifest(g.path);
    store::check_file(g, m, m.files[1], store::depth::identity);
  });
}

constexpr uid_t somebody = 65534;

}  // namespace

TEST_CASE("INV-33 what stands for a rank's file is looked at, not followed, and not waited for") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto g = made.add();
  const fs::path file = fs::path(g.path) / store::rank_file_name(1), aside = scratch.path() / "aside";
  fs::rename(file, aside);
  fs::create_symlink(aside, file);
  CHECK(has(look(g), file.string() + ": it is a symbolic link"));
  fs::remove(file);
  fs::create_hard_link(aside, file);
  CHECK(has(look(g), file.string() + ": the file has 2 names (hard links)"));
  fs::remove(file);
  mkfifo(file.c_str(), 0600);
  CHECK(has(look(g), file.string() + ": it is a FIFO"));
  CHECK_THROWS_WITH_AS(image::rank_image(file.string()), doctest::Contains("it is a FIFO"), files::image_error);
  fs::remove(file);
  fs::create_directory(file);
  CHECK(has(look(g), file.string() + ": it is a directory in place of a file"));
  fs::remove(file);
  fs::rename(aside, file);
  fs::permissions(file, fs::perms(0666));
  CHECK(has(look(g), file.string() + ": all users can write to it"));
  fs::permissions(file, fs::perms(0600));
  CHECK(look(g) == "not refused");
  if (geteuid() != 0) return;
  REQUIRE(chown(file.c_str(), somebody, somebody) == 0);
  CHECK(has(look(g), file.string() + ": it belongs to user 65534, and you are user 0"));
}

TEST_CASE("INV-33 nor is what stands for a manifest") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto g = made.add();
  const fs::path manifest = fs::path(g.path) / "manifest.json", aside = scratch.path() / "aside";
  const auto refusal = [&] { return refused(error_kind::not_own, [&] { store::read_manifest(g.path); }); };
  fs::rename(manifest, aside);
  fs::create_symlink(aside, manifest);
  CHECK(has(refusal(), manifest.string() + ": it is a symbolic link"));
  fs::remove(manifest);
  mkfifo(manifest.c_str(), 0600);
  CHECK(has(refusal(), manifest.string() + ": it is a FIFO"));
  fs::remove(manifest);
  fs::create_hard_link(aside, manifest);
  CHECK(has(refusal(), manifest.string() + ": the file has 2 names"));
}

TEST_CASE("INV-33 a planted link takes no image and no manifest elsewhere") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const fs::path victim = scratch.write("victim", "precious");
  const auto g = store::begin_generation(made.directory());
  fs::create_symlink(victim, fs::path(g.path) / store::rank_file_name(0));
  CHECK_THROWS_AS(image::write_rank_image(g.path + "/" + store::rank_file_name(0), 0, 1, {}, {}), files::image_error);
  fs::remove(fs::path(g.path) / store::rank_file_name(0));
  const auto w = image::write_rank_image(g.path + "/" + store::rank_file_name(0), 0, 1, {}, {});
  fs::create_symlink(victim, fs::path(g.path) / "manifest.json.new");
  fs::create_symlink(victim, fs::path(g.path) / "manifest.json");
  store::manifest m;
  m.ranks = 1;
  m.files = {{0, store::rank_file_name(0), w.file_bytes, w.memory_bytes, w.checksum}};
  store::commit(g, m);
  CHECK(read_bytes(victim) == "precious");
  CHECK(fs::is_regular_file(fs::symlink_status(fs::path(g.path) / "manifest.json")));
  CHECK(store::read_manifest(g.path).ranks == 1);
}

TEST_CASE("INV-33 a link in place of a generation is none, is not written into, and what it leads to is not removed") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  for (int i = 0; i < 3; ++i) made.add();
  const fs::path victim = scratch.path() / "victim";
  fs::create_directory(victim);
  scratch.write("victim/manifest.json", "precious");
  fs::remove_all(fs::path(made.directory()) / "gen-000001");
  fs::create_directory_symlink(victim, fs::path(made.directory()) / "gen-000001");
  CHECK(store::list(made.directory()).size() == 2);
  store::prune(made.directory(), 1);
  store::abandon({made.directory() + "/gen-000001", 1});
  CHECK(read_bytes(victim / "manifest.json") == "precious");
  CHECK(store::list(made.directory()).size() == 1);
  CHECK(has(refused(error_kind::not_own, [&] { store::read_manifest(made.directory() + "/gen-000001"); }), "symbolic link"));
  CHECK_THROWS_AS(image::write_rank_image(made.directory() + "/gen-000001/x", 0, 1, {}, {}), files::image_error);
  fs::create_directory_symlink(victim, fs::path(made.directory()) / "gen-000004");
  CHECK_THROWS_WITH_AS(store::begin_generation(made.directory()), doctest::Contains("gen-000004: the directory cannot be made"),
                       store::store_error);
}

TEST_CASE("a link inside a generation is removed with it, not followed") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto g = made.add();
  const fs::path victim = scratch.path() / "victim";
  fs::create_directory(victim);
  scratch.write("victim/file", "precious");
  fs::create_directory_symlink(victim, fs::path(g.path) / "link");
  made.add();
  CHECK(store::prune(made.directory(), 1).removed == std::vector<std::uint64_t>{1});
  CHECK_FALSE(fs::exists(g.path));
  CHECK(read_bytes(victim / "file") == "precious");
}

TEST_CASE("a directory on the way that all can write is refused by its name, a sticky one is not") {
  const temporary_directory scratch;
  const fs::path open = scratch.path() / "open";
  fs::create_directory(open);
  const std::string directory = (open / "mine" / "c").string();
  fs::permissions(open, fs::perms(0777));
  const std::string why = refused(error_kind::not_own, [&] { store::begin_generation(directory); });
  CHECK(has(why, open.string() + ": all users can rename and remove files in this directory"));
  CHECK(has(why, "chmod o-w or chmod +t"));
  CHECK_FALSE(fs::exists(open / "mine"));
  fs::permissions(open, fs::perms(01777));
  const auto g = store::begin_generation(directory);
  CHECK(mode_of(open / "mine") == 0700);
  fs::permissions(open, fs::perms(0777));
  CHECK_THROWS_AS(store::list(directory), store::store_error);
  fs::permissions(open, fs::perms(0755));
  fs::permissions(directory, fs::perms(0777));
  CHECK(has(refused(error_kind::not_own, [&] { store::begin_generation(directory); }), directory));
}

TEST_CASE("a directory of somebody else's is refused, and a link of his in a sticky one is not followed") {
  if (geteuid() != 0) return;
  const temporary_directory scratch;
  const fs::path sticky = scratch.path() / "sticky", his = scratch.path() / "his";
  fs::create_directory(sticky);
  fs::permissions(sticky, fs::perms(01777));
  fs::create_directory(his);
  const fs::path link = sticky / "link";
  fs::create_directory_symlink(scratch.path(), link);
  CHECK(store::begin_generation((link / "c").string()).number == 1);       // one of ours is
  REQUIRE(lchown(link.c_str(), somebody, somebody) == 0);
  CHECK(has(refused(error_kind::not_own, [&] { store::begin_generation((link / "c").string()); }),
            link.string() + ": it is a symbolic link of user 65534"));
  REQUIRE(chown(his.c_str(), somebody, somebody) == 0);
  CHECK(has(refused(error_kind::not_own, [&] { store::begin_generation(his.string()); }),
            his.string() + ": it belongs to user 65534"));
  const checkpoints made(scratch.path());
  const auto g = made.add();
  REQUIRE(chown(g.path.c_str(), somebody, somebody) == 0);
  CHECK(has(refused(error_kind::not_own, [&] { store::read_manifest(g.path); }), g.path + ": it belongs to user 65534"));
}

TEST_CASE("whatever the umask, directories are 0700 and files 0600") {
  for (const mode_t mask : {mode_t{0}, mode_t{0777}, mode_t{0277}}) {
    const temporary_directory scratch;
    CHECK(in_child([&]() -> std::string {
      umask(mask);
      const checkpoints made(scratch.path() / "a" / "b");
      const auto g = made.add();
      store::mark_failed(g, "x");
      for (const char* const part : {"a", "a/b", "a/b/c", "a/b/c/gen-000001"})
        if (mode_of(scratch.path() / part) != 0700) return std::string(part) + " has another mode";
      for (const auto& entry : fs::directory_iterator(g.path))
        if (mode_of(entry.path()) != 0600) return entry.path().string() + " has another mode";
      return "";
    }) == "");
  }
}

TEST_CASE("a way through links of ours, and with dots, is gone") {
  const temporary_directory scratch;
  fs::create_directories(scratch.path() / "real" / "deep");
  fs::create_directory_symlink("real", scratch.path() / "link");
  fs::create_directory_symlink(scratch.path() / "link" / "deep", scratch.path() / "absolute");
  fs::create_directory_symlink("circle", scratch.path() / "circle");
  CHECK(store::begin_generation((scratch.path() / "absolute" / "." / "c").string()).number == 1);
  CHECK(fs::is_directory(scratch.path() / "real" / "deep" / "c" / "gen-000001"));
  CHECK_THROWS_AS(store::begin_generation((scratch.path() / "circle" / "c").string()), store::store_error);
}

}  // namespace attacks_tests
