// The newest checkpoint of a chain made whole: the same memory, in files that need no other.
#include "../../temporary_directory.hpp"
#include "checkpoints.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>
#include <runtime/store/compaction.hpp>
#include <runtime/store/directory_lock.hpp>
#include <runtime/store/store_id.hpp>

#include <doctest/doctest.h>

namespace store_compact_tests {

using namespace mana;
namespace wm = window_memory;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t pages = 600;
constexpr int length = 6;
const std::string file = store::rank_file_name(0);

char* page_at(std::size_t i) { return reinterpret_cast<char*>(wm::heap + i * wm::page); }

/// Writes to some pages, gives others back.
void change(int round) {
  std::uint64_t x = static_cast<std::uint64_t>(round) * 7919 + 1;
  for (int k = 0; k < 60; ++k) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    std::memset(page_at((x >> 33) % pages), static_cast<int>(x >> 20), wm::page);
    page_at((x >> 33) % pages)[k] = static_cast<char>(k);
  }
  madvise(page_at((x >> 40) % (pages - 9)), 5 * wm::page, MADV_DONTNEED);
}

/// A chain of checkpoints of this process, each of the pages that changed.
void make_chain(const std::string& directory) {
  wm::map(wm::heap + 64 * wm::page, (pages - 64) * wm::page);
  wm::map(wm::shared, 8 * wm::page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  wm::fill(wm::shared, 8 * wm::page, 9);
  image::base_image base;
  for (int round = 0; round < length; ++round) {
    if (round == 2) wm::map(wm::heap, 64 * wm::page);      // the region begins elsewhere: chunks lie across its windows
    if (round >= 2) change(round);
    else std::memset(page_at(100), 1 + round, 400 * wm::page);
    const auto g = store::begin_generation(directory);
    image::image_plan plan;
    plan.path = g.path + "/" + file;
    plan.sections = {{"run", {1, 2, 3}}, {"locks", std::vector<std::uint8_t>(77, 5)}, {"saving", {'o', 'n', 'c', 'e'}}};
    plan.regions = image::upper_regions(0, 0);
    plan.how = image::parse_packing(round % 2 == 0 ? "none" : "zstd:1");
    plan.base = round == 0 ? nullptr : &base;
    plan.sums = true;
    image::image_writer writer(std::move(plan));
    if (!writer.write_shared() || !writer.finish()) throw std::runtime_error("not written");
    store::manifest m;
    m.ranks = 1;
    m.program = "/bin/program";
    m.mode = "changes since 1 (page tables), none";
    m.files = {{0, file, writer.result().file_bytes, writer.result().memory_bytes, writer.result().checksum}};
    for (const image::source& s : base.sources) m.builds_on.push_back(s.generation);
    std::sort(m.builds_on.begin(), m.builds_on.end());
    store::commit(g, m);
    base = image::as_base(image::rank_image(g.path + "/" + file).about(), g.number, file);
    base.sums = writer.take_sums();
  }
}

/// What a restart of the generation has in its memory.
std::string memory_of(const store::generation& g) {
  return in_child([&]() -> std::string {
    image::rank_image saved(g.path + "/" + file);
    saved.verify();
    saved.restore_memory();
    std::string all;
    for (const image::region& r : saved.regions()) {
      std::uint64_t sum = r.begin ^ r.end ^ static_cast<std::uint64_t>(r.protection);
      for (auto at = reinterpret_cast<const std::uint64_t*>(r.begin); at < reinterpret_cast<const std::uint64_t*>(r.end); ++at)
        sum = (sum ^ *at) * 1099511628211u;
      all += std::to_string(sum) + " ";
    }
    return all;
  });
}

std::string chain_in(const std::string& directory) {
  return in_child([&]() -> std::string {
    make_chain(directory);
    return "";
  });
}

}  // namespace

TEST_CASE("INV-38 the newest is made whole: the same memory, sections and regions, and no other file is needed") {
  const temporary_directory scratch;
  const std::string directory = scratch.path() / "c";
  REQUIRE(chain_in(directory) == "");
  const auto newest = store::newest_complete(directory);
  REQUIRE(image::rank_image(newest.path + "/" + file).about().sources.size() >= 3);
  const std::string before = memory_of(newest);
  CHECK(before.size() > 20);
  for (const auto& [how, threads] : {std::pair{"none", 1u}, std::pair{"zstd:3", 1u}, std::pair{"zstd:3", 3u}}) {
    const temporary_directory copy;
    fs::copy(directory, copy.path() / "c", fs::copy_options::recursive);
    fs::permissions(copy.path() / "c", fs::perms(0700));
    const std::string there = copy.path() / "c";
    std::vector<store::work_size> parts;
    std::uint64_t looked = 0, removed = 0;
    const auto done = store::compact(there, {image::parse_packing(how), threads},
                                     {[&parts](const auto& all) { parts = all; },
                                      [&looked](std::size_t part, std::uint64_t bytes) { looked += part == 0 ? bytes : 0; }});
    REQUIRE(parts.size() == 1);
    CHECK(parts[0].name == "rank 0");
    CHECK(parts[0].bytes == looked);
    CHECK(done.from == length);
    CHECK(done.to == length + 1);
    CHECK(done.builds_on.size() >= 3);
    const auto whole = store::newest_complete(there);
    CHECK(whole.number == length + 1);
    CHECK(memory_of(whole) == before);
    const image::rank_image image(whole.path + "/" + file), original(newest.path + "/" + file);
    CHECK(image.about().sources.empty());
    CHECK(image.about().memory_bytes == original.about().memory_bytes);
    REQUIRE(image.about().sections.size() == 3);
    CHECK(image.about().sections[1].name == "locks");
    CHECK(image.about().sections[1].bytes == original.about().sections[1].bytes);
    CHECK(store::read_manifest(whole.path).builds_on.empty());
    const std::string mode = std::string("whole, ") + how + ", compacted from 6";
    CHECK(store::read_manifest(whole.path).mode == mode);
    const auto& said = image.about().sections[2].bytes;
    CHECK(std::string(said.begin(), said.end()) == mode);
    const auto pruned = store::prune(there, 1, false, {[&parts](const auto& all) { parts = all; },
                                                       [&removed](std::size_t, std::uint64_t bytes) { removed += bytes; }});
    CHECK(pruned.removed.size() == length);
    CHECK(parts.size() == length);
    CHECK(removed < pruned.bytes);                         // manifests went first
    CHECK(removed > pruned.bytes - length * wm::page);
    store::verify(whole);
    CHECK(memory_of(whole) == before);
    CHECK(store::compact(there, {}).to == 0);              // it is whole already
  }
}

TEST_CASE("nothing is compacted whose parts are damaged or gone, and what is there stays") {
  const temporary_directory scratch;
  const std::string directory = scratch.path() / "c";
  REQUIRE(chain_in(directory) == "");
  const auto all = store::list(directory);
  const std::string first = read_bytes(all[0].path + "/" + file);
  const auto refused = [&](store::error_kind kind) {
    try {
      store::compact(directory, {});
      return std::string("not refused");
    } catch (const store::store_error& error) {
      CHECK(error.kind() == kind);
      return std::string(error.what());
    }
  };
  checkpoints::spoil(all[0], file, image::page_bytes + 5);
  CHECK(refused(store::error_kind::damaged).find(all[0].path + "/" + file + ": the image is damaged") == 0);
  CHECK(store::list(directory).size() == all.size());
  fs::remove(all[0].path + "/" + file);
  CHECK(refused(store::error_kind::missing_file).find(all[0].path + "/" + file) == 0);
  checkpoints::put(all[0], file, first);
  fs::permissions(all[0].path + "/" + file, fs::perms(0600));
  store::mark_failed(all.back(), "a reason");
  CHECK(refused(store::error_kind::damaged).find("a restart from it failed") != std::string::npos);
  fs::remove(all.back().path + "/failed");
  CHECK_THROWS_AS(store::compact(all.back().path, {}), store::store_error);
  CHECK(store::compact(directory, {}).to == length + 1);
}

TEST_CASE("INV-38 while a job writes a newer one nothing is compacted") {
  const temporary_directory scratch;
  const std::string directory = scratch.path() / "c";
  REQUIRE(chain_in(directory) == "");
  {
    const auto under_way = store::begin_generation(directory);
    CHECK_THROWS_WITH_AS(store::compact(directory, {}), doctest::Contains("a job is taking a newer checkpoint there"),
                         store::store_error);
    CHECK(store::list(directory).back().number == under_way.number);      // what was begun is gone again
  }
  CHECK(store::compact(directory, {}).to == length + 2);                  // a dead job's is in nobody's way
}

TEST_CASE("INV-38 while the nodes may have a newer one nothing is compacted") {
  const temporary_directory scratch;
  const std::string directory = scratch.path() / "c";
  REQUIRE(chain_in(directory) == "");
  store::make_store_id(directory);
  const auto on_nodes = store::begin_generation(directory);
  store::abandon(on_nodes, store::number_after::taken);
  CHECK_THROWS_WITH_AS(store::compact(directory, {}), doctest::Contains("gen-000007: its images may be only on the nodes"),
                       store::store_error);
  fs::remove(on_nodes.path);
  CHECK(store::compact(directory, {}).to == length + 1);
}

TEST_CASE("INV-38 a job that has taken a number, and has no directory yet, is seen") {
  const temporary_directory scratch;
  const std::string directory = scratch.path() / "c";
  REQUIRE(chain_in(directory) == "");
  const auto all = files::own_directory::open(directory);
  const auto taken = store::directory_lock::of_generation(all, length + 1);
  REQUIRE(taken.end() == store::lock_end::held);
  CHECK_THROWS_WITH_AS(store::compact(directory, {}), doctest::Contains("a job is taking a newer checkpoint there"),
                       store::store_error);
}

}  // namespace store_compact_tests
