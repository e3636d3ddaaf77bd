// Packing by several threads: the image is the same, byte for byte, in the process and in a copy of it, and nothing is
// left.
#include "../long_run.hpp"
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "own_tasks.hpp"
#include "window_memory.hpp"

#include <runtime/image/memory/own_memory.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace pack_threads_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr std::size_t some_bytes = 1'300 * wm::page;       // work for eight threads

/// Random and repeating pages, zeros, and single pages between holes: chunks of all kinds, and some that do not shrink.
void make_memory() {
  wm::map(wm::heap, some_bytes);
  wm::fill(wm::heap, some_bytes, 1);
  auto* const words = reinterpret_cast<std::uint64_t*>(wm::heap);
  for (std::size_t i = 0; i < some_bytes / 4 / 8; ++i) words[i] = i / 512 % 3 == 0 ? 0 : i;
  wm::map(wm::shared, 400 * wm::page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  wm::fill(wm::shared, 400 * wm::page, 2);
}

/// As own_memory, and looks at the threads of the process at each window.
class watched_memory final : public image::page_source {
 public:
  bool open() noexcept override { return memory_.open(); }
  int find_touched(const image::region& r, std::uintptr_t begin, std::size_t pages, bool* touched) noexcept override {
    return memory_.find_touched(r, begin, pages, touched);
  }
  bool copy(const image::region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, char* into) noexcept override {
    const bool well = memory_.copy(r, begin, pages, wanted, into);
    for (const own_task& task : own_tasks()) {
      if (task.id == getpid()) continue;
      if (!task.blocks_all_signals) wrong = "a thread takes signals";
      if (task.nice != getpriority(PRIO_PROCESS, 0)) wrong = "a thread has another priority";
    }
    most = std::max(most, own_tasks().size());
    return well;
  }

  std::size_t most = 0;
  std::string wrong;

 private:
  image::own_memory memory_;
};

image::image_plan plan_for(const std::string& path, const char* how, unsigned threads) {
  image::image_plan plan;
  plan.path = path;
  plan.sections = {{"some", {1, 2, 3}}};
  plan.regions = image::upper_regions(0, 0);
  plan.how = image::parse_packing(how);
  plan.pack_threads = threads;
  return plan;
}

/// out: "" if as many threads as were asked for write the bytes of `expected`, and end
std::string is_written(const std::string& path, const char* how, unsigned threads, const std::string& expected) {
  watched_memory memory;
  image::image_plan plan = plan_for(path, how, threads);
  plan.pages = &memory;
  const image::write_result written = image::write_rank_image(std::move(plan));
  const std::size_t wanted = how == std::string("none") ? 1 : threads;
  if (read_bytes(path) != expected) return "other bytes";
  if (!memory.wrong.empty()) return memory.wrong;
  if (memory.most != wanted) return std::to_string(memory.most) + " threads";
  if (written.writer_bytes > (64u << 20)) return "it says " + std::to_string(written.writer_bytes);
  return become_alone() ? "" : "threads are left";
}

std::string same_for_all(const std::string& directory, const char* how) {
  return in_child([&]() -> std::string {
    make_memory();
    setpriority(PRIO_PROCESS, 0, 3);
    image::write_rank_image(plan_for(directory + "/one", how, 1));
    image::rank_image(directory + "/one").verify();
    const std::string expected = read_bytes(directory + "/one");
    for (const unsigned threads : {1u, 2u, 3u, 8u}) {
      if (!is_long_run() && threads != 3 && threads != 8) continue;
      if (const auto wrong = is_written(directory + "/by-" + std::to_string(threads), how, threads, expected); !wrong.empty())
        return std::to_string(threads) + " threads: " + wrong;
    }
    return "";
  });
}

/// Runs `body` in a copy of the process, made as the saver makes it.     out: whether it returned true
template <class Body>
bool in_copy(Body body) {
  const long copy = syscall(SYS_clone, 0, 0, 0, 0, 0);
  if (copy == 0) _exit(body() ? 0 : 1);
  int status = 0;
  return copy > 0 && waitpid(static_cast<pid_t>(copy), &status, __WALL) == copy && status == 0;
}

constexpr const char* ways[] = {"none", "lz4", "zstd:3"};

}  // namespace

TEST_CASE("an image is the same however many threads pack it, and they are gone afterwards") {
  for (const char* const how : ways) {
    const temporary_directory directory;
    CAPTURE(how);
    CHECK(same_for_all(directory.path(), how) == "");
  }
}

TEST_CASE("a copy of the process packs by several threads") {
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    make_memory();
    const std::string one = directory.path() / "one", path = directory.path() / "by-copy";
    image::write_rank_image(plan_for(one, "zstd:1", 1));
    image::image_writer writer(plan_for(path, "zstd:1", 3));
    if (!writer.write_shared()) return "shared memory";
    if (!become_alone()) return "threads are left before the copy";
    if (!in_copy([&] { return writer.finish() && become_alone(); })) return "the copy did not write, or left threads";
    writer.taken_over();
    if (own_tasks().size() != 1) return "there are threads where the copy was made";
    return read_bytes(path) == read_bytes(one) ? "" : "other bytes";
  }) == "");
}

TEST_CASE("changes are the same however many threads pack them") {
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    make_memory();
    const auto in = [&](const std::string& name) { return (directory.path() / name).string(); };
    image::image_plan whole = plan_for(in("whole"), "zstd:1", 3);
    whole.sums = true;
    image::image_writer first(std::move(whole));
    if (!first.write_shared() || !first.finish()) return "the first";
    image::base_image base = image::as_base(image::rank_image(in("whole")).about(), 1, "whole");
    base.sums = first.take_sums();
    for (std::size_t page = 0; page < some_bytes / wm::page; page += 7)
      *reinterpret_cast<std::uint64_t*>(wm::heap + page * wm::page + 64) += 1;
    for (const unsigned threads : {1u, 2u, 5u}) {
      image::image_plan changes = plan_for(in(std::to_string(threads)), "zstd:1", threads);
      changes.base = &base;
      changes.sums = true;
      const image::write_result written = image::write_rank_image(std::move(changes));
      if (written.kept_bytes == 0) return "nothing is kept";
      if (read_bytes(in(std::to_string(threads))) != read_bytes(in("1"))) return std::to_string(threads) + " threads: other bytes";
    }
    return "";
  }) == "");
}

TEST_CASE("a write that fails half way says why and leaves no thread") {
  const temporary_directory directory;
  for (const rlim_t limit : {rlim_t{50'000}, rlim_t{2u << 20}})
    CHECK(in_child([&]() -> std::string {
      make_memory();
      const rlimit limits{limit, limit};
      setrlimit(RLIMIT_FSIZE, &limits);
      const std::string path = directory.path() / "image";
      try {
        image::write_rank_image(plan_for(path, "lz4", 4));
        return "written";
      } catch (const files::image_error& error) {
        if (std::string(error.what()).find("ulimit -f") == std::string::npos) return error.what();
      }
      if (!become_alone()) return "threads are left";
      return std::filesystem::exists(path) ? "a part of the file is left" : "";
    }) == "");
}

TEST_CASE("where the system gives no threads, one packs") {
  const temporary_directory directory;
  if (getuid() != 0) return;
  constexpr uid_t somebody = 54321;                // no limit holds for root
  std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
  CHECK(chown(directory.path().c_str(), somebody, somebody) == 0);
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
  CHECK(in_child([&]() -> std::string {
    make_memory();
    const rlimit limits{1, 1};
    if (setrlimit(RLIMIT_NPROC, &limits) != 0 || setresuid(somebody, somebody, somebody) != 0) return "no other user";
    prctl(PR_SET_DUMPABLE, 1);                     // for /proc/self
    const std::string one = directory.path() / "one", path = directory.path() / "by-four";
    image::write_rank_image(plan_for(one, "zstd:1", 1));
    watched_memory memory;
    image::image_plan plan = plan_for(path, "zstd:1", 4);
    plan.pages = &memory;
    image::write_rank_image(std::move(plan));
    if (memory.most > 1) return "there were threads";
    return read_bytes(path) == read_bytes(one) ? "" : "other bytes";
  }) == "");
}

TEST_CASE("auto tries no more with several threads where memory packs badly, and packs what packs well") {
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    constexpr std::size_t payload = 8u << 20;      // less than what may be under way to the disk
    wm::map(wm::heap, payload);
    auto* const words = reinterpret_cast<std::uint64_t*>(wm::heap);
    const auto share = [&](const std::string& name) {
      const auto written = image::write_rank_image(plan_for(directory.path() / name, "auto", 4));
      image::rank_image(directory.path() / name).verify();
      return static_cast<double>(written.stored_bytes) / static_cast<double>(written.memory_bytes);
    };
    std::uint64_t x = 1;
    for (std::size_t i = 0; i < payload / 8; ++i) {
      x = x * 6364136223846793005u + 1;
      words[i] = i % 2 == 0 ? x ^ x >> 29 : i;
    }
    if (const double badly = share("badly"); badly < 0.95) return std::to_string(badly) + " of what packs badly";
    for (std::size_t i = 0; i < payload / 8; ++i) words[i] = i / 512;
    const double well = share("well");
    return well < 0.5 ? "" : std::to_string(well) + " of what packs well";
  }) == "");
}

}  // namespace pack_threads_tests
