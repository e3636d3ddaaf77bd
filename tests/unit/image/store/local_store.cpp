// Images on a node, their sidecars, and their copies.
#include "../../temporary_directory.hpp"

#include <runtime/image/write/image_writer.hpp>
#include <runtime/store/manifest.hpp>
#include <runtime/store/nodes/local_failure.hpp>
#include <runtime/store/nodes/local_store.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <chrono>
#include <cstdlib>

namespace store_local_store_tests {

using namespace mana;
using store::error_kind;
namespace fs = std::filesystem;

namespace {

store::local_image write(const std::string& directory, std::uint64_t generation, std::uint32_t rank,
                         std::size_t section_bytes = 100) {
  const std::vector<image::section> sections{
      {"run", std::vector<std::uint8_t>(section_bytes, std::uint8_t(generation))}};
  const auto w = image::write_rank_image(store::begin_local(directory, generation, rank), rank, 2, sections, {});
  store::local_image about;
  about.generation = generation;
  about.nonce = 0xfedcba9876543210;
  about.rank = rank;
  about.ranks = 2;
  about.bytes = w.file_bytes;
  about.memory_bytes = w.memory_bytes;
  about.checksum = w.checksum;
  about.builds_on = {};
  about.mpi = "MPICH";
  about.mpi_version = "4.0.2";
  about.program = "/bin/a\"b";
  about.build_id = "b1";
  about.mode = "whole";
  about.warnings = {"one", "two"};
  return about;
}

store::local_image add(const std::string& directory, std::uint64_t generation, std::uint32_t rank) {
  const store::local_image about = write(directory, generation, rank);
  store::finish_local(directory, about);
  return about;
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

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

unsigned mode_of(const fs::path& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
}

void put(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

std::string only_problem(const std::string& directory) {
  const store::found_images found = store::find_local(directory);
  return found.problems.size() == 1 ? found.problems[0] : std::to_string(found.problems.size()) + " problems";
}

}  // namespace

TEST_CASE("a sidecar is read as it was written, and each changed byte of it is found") {
  const temporary_directory scratch;
  store::local_image about = write((scratch.path() / "l").string(), 7, 1);
  about.builds_on = {3, 6};
  const std::string text = store::to_json(about);
  CHECK(store::sidecar_from_json(text) == about);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    CHECK_THROWS_AS(store::sidecar_from_json(other), store::store_error);
    CHECK_THROWS_AS(store::sidecar_from_json(text.substr(0, at)), store::store_error);
  }
}

TEST_CASE("a sidecar of a newer version is refused as such") {
  const temporary_directory scratch;
  std::string text = store::to_json(write((scratch.path() / "l").string(), 7, 1));
  text.replace(text.find("_image\": 2"), 10, "_image\": 3");
  const std::string other = store::sealed(text.substr(0, text.rfind(",\n  \"checksum\"")) + "\n}\n");
  CHECK(has(refused(error_kind::other_version, [&] { store::sidecar_from_json(other); }), "version 3"));
}

TEST_CASE("images of two ranks of a node are found, of this user alone") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "deep" / "l").string();
  const auto second = add(directory, 2, 1), first = add(directory, 2, 0), older = add(directory, 1, 0);
  const store::found_images found = store::find_local(directory);
  CHECK(found.problems.empty());
  REQUIRE(found.sound.size() == 3);
  CHECK(found.sound[0] == older);
  CHECK(found.sound[1] == first);
  CHECK(found.sound[2] == second);
  CHECK(mode_of(directory) == 0700);
  CHECK(mode_of(directory + "/gen-000002") == 0700);
  CHECK(mode_of(directory + "/gen-000002/rank-00001.json") == 0600);
  CHECK(mode_of(directory + "/gen-000002/rank-00001.mana") == 0600);
}

TEST_CASE("an image without a sidecar is none, and a directory that is not there holds none") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string();
  CHECK(store::find_local(directory).sound.empty());
  write(directory, 1, 0);
  const store::found_images found = store::find_local(directory);
  CHECK(found.sound.empty());
  CHECK(found.problems.empty());
}

TEST_CASE("an image that is not its sidecar's is named with the cause, and others are found") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string();
  add(directory, 1, 0);
  add(directory, 1, 1);
  const fs::path file = fs::path(directory) / "gen-000001/rank-00001.mana";
  const fs::path sidecar = fs::path(file).replace_extension(".json");
  const std::string bytes = read_bytes(file), text = read_bytes(sidecar);
  put(file, bytes.substr(0, bytes.size() - 1));
  CHECK(has(only_problem(directory), file.string() + ": the image does not have the"));
  fs::copy_file(fs::path(directory) / "gen-000001/rank-00000.mana", file, fs::copy_options::overwrite_existing);
  CHECK(has(only_problem(directory), file.string() + ": this image belongs to another checkpoint"));
  fs::remove(file);
  CHECK(has(only_problem(directory), file.string()));
  put(file, bytes);
  fs::permissions(file, fs::perms(0600));
  put(sidecar, text.substr(0, text.size() / 2));
  CHECK(has(only_problem(directory), sidecar.string() + ": its checksum is wrong"));
  fs::remove(sidecar);
  fs::create_symlink("rank-00000.json", sidecar);
  CHECK(has(only_problem(directory), sidecar.string() + ": it is a symbolic link"));
  CHECK(store::find_local(directory).sound.size() == 1);
}

TEST_CASE("a sidecar of another rank or generation is none of this one's") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string();
  add(directory, 1, 0);
  fs::rename(fs::path(directory) / "gen-000001", fs::path(directory) / "gen-000002");
  CHECK(has(only_problem(directory), "it is that of rank 0 in generation 1"));
}

TEST_CASE("what is there already is not written over") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string();
  const auto about = add(directory, 1, 0);
  CHECK_THROWS_AS(write(directory, 1, 0), store::store_error);
  refused(error_kind::unwritable, [&] { store::finish_local(directory, about); });
  CHECK(store::find_local(directory).sound.size() == 1);
}

TEST_CASE("a generation that is a link is not followed, neither to write nor to remove") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string(), aside = (scratch.path() / "aside").string();
  add(aside, 1, 0);
  fs::create_directory(directory);
  fs::permissions(directory, fs::perms(0700));
  fs::create_directory_symlink(aside + "/gen-000001", directory + "/gen-000001");
  refused(error_kind::not_own, [&] { store::find_local(directory); });
  CHECK_FALSE(store::remove_local(directory, 1, 0));
  CHECK(store::find_local(aside).sound.size() == 1);
}

TEST_CASE("a rank removes its own files, the last one the directory") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string();
  add(directory, 1, 0);
  add(directory, 1, 1);
  CHECK(store::remove_local(directory, 1, 0));
  CHECK(store::find_local(directory).sound.size() == 1);
  CHECK(store::remove_local(directory, 1, 1));
  CHECK_FALSE(fs::exists(directory + "/gen-000001"));
  CHECK(store::remove_local(directory, 1, 1));
}

TEST_CASE("the copy has the bytes of the image, and takes the time that its rate gives it") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string(), to = (scratch.path() / "copy").string();
  const auto about = write(directory, 1, 0, 9'000'000);
  store::finish_local(directory, about);
  const auto begin = std::chrono::steady_clock::now();
  store::copy_to_global(directory, about, to, 40'000'000);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(took.count() >= 0.1);
  CHECK(read_bytes(to) == read_bytes(directory + "/gen-000001/rank-00000.mana"));
  CHECK(mode_of(to) == 0600);
}

TEST_CASE("an image that was changed is not copied, and nothing is left of a copy that fails") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string(), to = (scratch.path() / "copy").string();
  const auto about = add(directory, 1, 0);
  refused(error_kind::unwritable, [&] { store::copy_to_global(directory, about, to + "/none/file", 0); });
  put(to, "mine");
  refused(error_kind::unwritable, [&] { store::copy_to_global(directory, about, to, 0); });
  CHECK(read_bytes(to) == "mine");
  fs::remove(to);
  auto other = about;
  other.checksum ^= 1;
  refused(error_kind::damaged, [&] { store::copy_to_global(directory, other, to, 0); });
  CHECK_FALSE(fs::exists(to));
}

TEST_CASE("the node's name stands in the directory's") {
  CHECK(store::local_directory("/tmp/%n/x", "n7") == "/tmp/n7/x");
  CHECK(store::local_directory("/tmp/100%%/%n%n", "n7") == "/tmp/100%/n7n7");
  for (const char* wrong : {"/tmp/%h", "/tmp/%"})
    CHECK(has(refused(error_kind::unwritable, [&] { store::local_directory(wrong, "n7"); }), "after % only n"));
  for (const char* node : {"", "..", "a/b"})
    refused(error_kind::unwritable, [&] { store::local_directory("/tmp/%n", node); });
  setenv("MANA_NODE", "simulated", 1);
  CHECK(store::node_name() == "simulated");
  unsetenv("MANA_NODE");
  CHECK_FALSE(store::node_name().empty());
}

TEST_CASE("INV-35 an image whose restart failed does not count any more, and goes with the mark") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string();
  add(directory, 1, 0);
  add(directory, 1, 1);
  store::mark_local_failed(directory, 1, 1, "rank 1: a chunk's checksum is wrong");
  store::mark_local_failed(directory, 1, 1, "a later reason");
  CHECK(has(only_problem(directory), "gen-000001/rank-00001.mana: a restart from it failed: "));
  CHECK(has(only_problem(directory), "Z rank 1: a chunk's checksum is wrong"));
  REQUIRE(store::find_local(directory).sound.size() == 1);
  CHECK(store::find_local(directory).sound[0].rank == 0);
  CHECK(store::remove_local(directory, 1, 0));
  CHECK(store::remove_local(directory, 1, 1));
  CHECK_FALSE(fs::exists(directory + "/gen-000001"));
}

TEST_CASE("an image is opened for reading if it is its sidecar's") {
  const temporary_directory scratch;
  const std::string directory = (scratch.path() / "l").string();
  auto about = add(directory, 1, 0);
  CHECK(store::open_local(directory, about));
  CHECK(store::local_image_path(directory, 1, 0) == directory + "/gen-000001/rank-00000.mana");
  about.checksum ^= 1;
  refused(error_kind::damaged, [&] { store::open_local(directory, about); });
  about.rank = 1;
  refused(error_kind::missing_file, [&] { store::open_local(directory, about); });
}

TEST_CASE("an image that is there is not written over by another checkpoint of its number") {
  const temporary_directory scratch;
  const std::string directory = scratch.path() / "node";
  add(directory, 3, 1);
  CHECK(has(refused(error_kind::unwritable, [&] { store::begin_local(directory, 3, 1); }),
            "rank-00001.mana: there is an image of another checkpoint of this number"));
  store::begin_local(directory, 3, 0);
  CHECK(store::find_local(directory).sound.size() == 1);
}

TEST_CASE("INV-35 images that a restart found damaged are told of, for their copies on other nodes") {
  const temporary_directory scratch;
  const std::string directory = scratch.path() / "node";
  add(directory, 3, 0);
  const auto bad = add(directory, 3, 1);
  store::mark_local_failed(directory, 3, 1, "rank 1: spoilt");
  const store::found_images found = store::find_local(directory);
  REQUIRE(found.failed.size() == 1);
  CHECK(found.failed[0] == bad);
  CHECK(found.sound.size() == 1);
}

TEST_CASE("a sidecar can be read however many warnings there are") {
  const temporary_directory scratch;
  const std::string directory = scratch.path() / "node";
  auto about = write(directory, 1, 0);
  about.warnings = store::limited_warnings(std::vector<std::string>(100'000, std::string(150, '\1')));
  CHECK(has(about.warnings.back(), " more warnings"));
  store::finish_local(directory, about);
  CHECK(store::find_local(directory).sound == std::vector{about});
  CHECK(store::limited_warnings({"one", "two"}) == std::vector<std::string>{"one", "two"});
}

}  // namespace store_local_store_tests
