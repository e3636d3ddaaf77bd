// Images that refer to those before them: they hold what changed, and restore as if they held all.
#include "../long_run.hpp"
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/changes/change_tracker.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <memory>

namespace incremental_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr std::size_t pages = 2000;

char* page_at(std::size_t i) { return reinterpret_cast<char*>(wm::heap + i * wm::page); }

/// Generations of one rank in a directory, each built on the one before.
class chain {
 public:
  chain(std::string directory, bool tracked, const char* how = "none") : directory_(std::move(directory)), how_(how) {
    if (tracked) tracker_ = std::make_unique<image::change_tracker>();
  }
  bool can_track() const { return tracker_ == nullptr || !tracker_->way().empty(); }

  static std::string path_in(const std::string& directory, std::uint64_t generation) {
    char name[64];
    std::snprintf(name, sizeof name, "/gen-%06llu", static_cast<unsigned long long>(generation));
    std::filesystem::create_directories(directory + name);
    return directory + name + "/rank-00000.mana";
  }

  image::write_result add() {
    const auto regions = image::upper_regions(0, 0);
    image::image_plan plan;
    plan.path = path_in(directory_, ++generation_);
    plan.regions = regions;
    plan.how = image::parse_packing(how_);
    if (tracker_) plan.unwritten = tracker_->mark(regions);
    plan.base = generation_ > 1 ? &base_ : nullptr;
    plan.sums = true;
    const std::string path = plan.path;
    image::image_writer writer(std::move(plan));
    if (!writer.write_shared() || !writer.finish()) throw std::runtime_error(writer.failure_text(writer.failure()));
    base_ = image::as_base(image::rank_image(path).about(), generation_, "rank-00000.mana");
    base_.sums = writer.take_sums();
    return writer.result();
  }
  std::uint64_t newest() const { return generation_; }

 private:
  std::string directory_;
  const char* how_;
  std::uint64_t generation_ = 0;
  std::unique_ptr<image::change_tracker> tracker_;
  image::base_image base_;
};

/// out: "" if the memory that the newest image gives is what `expected` says of each page; in a process of its own
std::string restores(const std::string& directory, std::uint64_t generation, const std::vector<unsigned char>& expected) {
  return in_child([&]() -> std::string {
    munmap(page_at(0), pages * wm::page);
    image::rank_image saved(chain::path_in(directory, generation));
    saved.verify();
    saved.restore_memory();
    for (std::size_t i = 0; i < expected.size(); ++i)
      for (const std::size_t at : {std::size_t{0}, std::size_t{2000}, wm::page - 1})
        if (static_cast<unsigned char>(page_at(i)[at]) != expected[i]) return "page " + std::to_string(i) + " differs";
    return "";
  });
}

void fill_page(std::vector<unsigned char>& expected, std::size_t i, unsigned char value) {
  std::memset(page_at(i), value, wm::page);
  expected[i] = value;
}

std::string changes_are_kept(const std::string& directory, bool tracked, const char* how) {
  std::vector<unsigned char> expected(pages);
  const std::string wrong = in_child([&]() -> std::string {
    wm::map(wm::heap, pages * wm::page);
    for (std::size_t i = 0; i < pages; i += 1 + i % 3) fill_page(expected, i, static_cast<unsigned char>(1 + i % 250));
    chain images(directory, tracked, how);
    if (!images.can_track()) return "cannot track";
    const auto first = images.add();
    if (first.kept_bytes != 0) return "the first refers to something";
    std::uint64_t x = 99;
    for (int round = 0; round < tried(4, 12); ++round) {
      std::size_t changed = 0;
      for (int k = 0; k < 40; ++k) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        const std::size_t i = (x >> 33) % pages;
        fill_page(expected, i, static_cast<unsigned char>(x >> 20));
        ++changed;
      }
      const std::size_t gone = (x >> 40) % (pages - 20);
      if (madvise(page_at(gone), 9 * wm::page, MADV_DONTNEED) != 0) return "madvise";
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(gone), 9, 0);
      std::memcpy(page_at(gone + 3), page_at(gone + 15), wm::page);      // written by the copy
      expected[gone + 3] = expected[gone + 15];
      const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);          // and by the kernel
      if (read(zeros, page_at((gone + 100) % pages), wm::page) != static_cast<ssize_t>(wm::page)) return "read";
      close(zeros);
      expected[(gone + 100) % pages] = 0;
      const auto result = images.add();
      if (result.stored_bytes > (changed + 20) * wm::page) return "more than what changed is stored";
      if (result.kept_bytes == 0) return "nothing is kept";
      const std::string differs = restores(directory, images.newest(), expected);
      if (!differs.empty()) return "round " + std::to_string(round) + ": " + differs;
    }
    return restores(directory, 1, {});
  });
  return wrong;
}

}  // namespace

TEST_CASE("INV-32 what is called unwritten has not changed") {
  const temporary_directory directory;
  const std::string wrong = in_child([&]() -> std::string {
    wm::map(wm::heap, 64 * wm::page);
    image::change_tracker tracker;
    if (tracker.way().empty()) return "cannot track: " + tracker.obstacle();
    for (std::size_t i = 0; i < 64; i += 2) page_at(i)[5] = 1;
    if (!tracker.mark(image::upper_regions(0, 0)).empty()) return "pages are unwritten since nothing";
    page_at(0)[1] = 1;                                                    // written
    page_at(3)[1] = 1;                                                    // first touched
    madvise(page_at(10), wm::page, MADV_DONTNEED);                        // given back
    madvise(page_at(14), wm::page, MADV_DONTNEED);                        // and read again
    if (*static_cast<volatile char*>(page_at(14)) != 0) return "a page that was given back holds something";
    munmap(page_at(20), wm::page);                                        // another mapping
    wm::map(wm::heap + 20 * wm::page, wm::page);
    mremap(page_at(30), wm::page, wm::page, MREMAP_MAYMOVE | MREMAP_FIXED, page_at(100));   // moved away
    wm::map(wm::heap + 30 * wm::page, wm::page);
    mremap(page_at(40), wm::page, wm::page, MREMAP_MAYMOVE | MREMAP_FIXED, page_at(50));    // and onto another
    wm::map(wm::heap + 40 * wm::page, wm::page);
    const pid_t child = fork();                                           // does not count, nor what it writes
    if (child == 0) {
      page_at(60)[0] = 1;
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const auto unwritten = [&] {
      std::vector<bool> found(101);
      for (const auto& r : tracker.mark(image::upper_regions(0, 0)))
        for (std::uintptr_t at = r.begin; at < r.end; at += wm::page) found[(at - wm::heap) / wm::page] = true;
      return found;
    };
    const std::vector<bool> after_changes = unwritten();
    for (const std::size_t i : {0u, 3u, 10u, 14u, 20u, 30u, 40u, 50u, 100u})
      if (after_changes[i]) return "page " + std::to_string(i) + " is called unwritten";
    // Soft-dirty bits say of all pages of a mapping that was joined with a new one that they were written.
    if (tracker.way() == "page tables")
      for (const std::size_t i : {2u, 4u, 12u, 32u, 60u, 62u})
        if (!after_changes[i]) return "page " + std::to_string(i) + " is called written";
    page_at(4)[1] = 2;
    const std::vector<bool> after_one = unwritten();
    for (const std::size_t i : {0u, 2u, 12u, 32u, 60u, 62u})
      if (!after_one[i]) return "page " + std::to_string(i) + " is called written, then";
    return after_one[4] ? "the page that was written again is called unwritten" : "";
  });
  if (wrong.starts_with("cannot track")) MESSAGE("left out: ", wrong);
  else CHECK(wrong == "");
}

TEST_CASE("INV-32 where somebody else clears what the kernel noted, nothing that was written is called unwritten") {
  const std::string wrong = in_child([&]() -> std::string {
    wm::map(wm::heap, 4 * wm::page);
    image::change_tracker tracker;
    if (tracker.way().empty()) return "cannot track: " + tracker.obstacle();
    std::memset(page_at(0), 1, 4 * wm::page);
    tracker.mark(image::upper_regions(0, 0));
    page_at(1)[0] = 2;
    const int clear = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (write(clear, "4", 1) != 1) return "cannot clear";
    close(clear);
    for (const auto& r : tracker.mark(image::upper_regions(0, 0)))
      if (r.begin <= wm::heap + wm::page && wm::heap + wm::page < r.end) return "it is called unwritten";
    for (const auto& r : tracker.mark(image::upper_regions(0, 0)))
      if (r.begin <= wm::heap && wm::heap + wm::page < r.end) return "";
    return "nothing is unwritten after the next mark";
  });
  if (wrong.starts_with("cannot track")) MESSAGE("left out: ", wrong);
  else CHECK(wrong == "");
}

TEST_CASE("an image holds what changed since the one before, and restores all: pages tracked by the kernel") {
  for (const char* const how : {"none", "auto", "zstd:1"}) {
    if (!is_long_run() && how != std::string("auto")) continue;
    const temporary_directory directory;
    INFO(how);
    const std::string wrong = changes_are_kept(directory.path(), true, how);
    if (wrong == "cannot track") MESSAGE("left out: this kernel does not track pages");
    else CHECK(wrong == "");
  }
}

TEST_CASE("an image holds what changed since the one before, and restores all: pages compared by their sums") {
  for (const char* const how : {"none", "lz4:1"}) {
    if (!is_long_run() && how != std::string("lz4:1")) continue;
    const temporary_directory directory;
    INFO(how);
    CHECK(changes_are_kept(directory.path(), false, how) == "");
  }
}

TEST_CASE("an image whose base is gone, damaged or another is refused by its name") {
  const temporary_directory directory;
  const std::string first = chain::path_in(directory.path(), 1), second = chain::path_in(directory.path(), 2);
  CHECK(in_child([&]() -> std::string {
    wm::map(wm::heap, pages * wm::page);
    std::memset(page_at(0), 7, 100 * wm::page);
    chain images(directory.path(), false);
    images.add();
    page_at(5)[0] = 1;
    images.add();
    return "";
  }) == "");
  const std::string sound = read_bytes(first);
  const auto refusal = [&] {
    try {
      image::rank_image(second).check_sources();
      image::rank_image(second).verify();
      return std::string("not noticed");
    } catch (const files::image_error& error) {
      return std::string(error.what());
    }
  };
  const auto name = std::filesystem::relative(first, directory.path());
  std::string changed = sound;
  changed[8192] ^= 1;
  directory.write(name, changed);
  CHECK(refusal().find(first + ": the image is damaged: a chunk's checksum is wrong") == 0);
  directory.write(name, read_bytes(second));
  CHECK(refusal().find(first + ": the image is damaged: it is not the image that " + second) == 0);
  std::filesystem::remove(first);
  CHECK(refusal().find(first + ": there is no such file or directory; " + second + " has a part") == 0);
  directory.write(name, sound);
  CHECK(refusal() == "not noticed");
}

TEST_CASE("a base that is not beside the image, or is not the one, is found in another directory") {
  const temporary_directory near, far;
  const std::string base = chain::path_in(near.path(), 1), second = chain::path_in(near.path(), 2);
  CHECK(in_child([&]() -> std::string {
    wm::map(wm::heap, pages * wm::page);
    std::memset(page_at(0), 7, 100 * wm::page);
    chain images(near.path(), false);
    images.add();
    page_at(5)[0] = 1;
    images.add();
    return "";
  }) == "");
  const std::string copy = chain::path_in(far.path(), 1), sound = read_bytes(base);
  far.write("gen-000001/rank-00000.mana", sound);
  const auto outcome = [&](const std::vector<std::string>& roots) -> std::string {
    try {
      image::rank_image saved(second, roots);
      saved.check_sources();
      saved.verify();
      return "whole";
    } catch (const files::image_error& error) {
      return error.what();
    }
  };
  const std::string elsewhere = far.path();
  near.write("gen-000001/rank-00000.mana", read_bytes(second));
  CHECK(outcome({elsewhere}) == "whole");
  std::filesystem::remove(base);
  CHECK(outcome({elsewhere}) == "whole");
  CHECK(outcome({near.path() / "none", elsewhere}) == "whole");
  CHECK(outcome({}).find(base + ": there is no such file") == 0);
  std::filesystem::remove(copy);
  CHECK(outcome({elsewhere}).find(copy + ": there is no such file") == 0);
}

TEST_CASE("a chunk of the base that two regions share now becomes two") {
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    std::vector<unsigned char> expected(pages);
    wm::map(wm::heap, pages * wm::page);
    for (std::size_t i = 0; i < 200; ++i) fill_page(expected, i, static_cast<unsigned char>(i + 1));
    chain images(directory.path(), false);
    images.add();
    wm::protect(wm::heap + 10 * wm::page, 5 * wm::page, PROT_READ);
    fill_page(expected, 100, 99);
    images.add();
    return restores(directory.path(), 2, expected);
  }) == "");
}

TEST_CASE("a file of the base that nothing is in any more is not needed") {
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    std::vector<unsigned char> expected(pages);
    wm::map(wm::heap, pages * wm::page);
    chain images(directory.path(), false);
    for (unsigned char round = 1; round < 4; ++round) {
      for (std::size_t i = 0; i < 200; ++i) fill_page(expected, i, round);
      if (round == 1) fill_page(expected, 300, 1);
      images.add();
      if (round == 2) fill_page(expected, 300, 2);
    }
    const image::rank_image newest(chain::path_in(directory.path(), 3));
    if (newest.about().sources.empty()) return "it names no file of its base";
    std::filesystem::remove(chain::path_in(directory.path(), 1));
    newest.check_sources();
    return restores(directory.path(), 3, expected);
  }) == "");
}

TEST_CASE("forked or not, shared memory is that of the moment") {
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    wm::map(wm::heap, 10 * wm::page);
    wm::map(wm::shared, 10 * wm::page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
    wm::fill(wm::heap, 10 * wm::page, 1);
    wm::fill(wm::shared, 10 * wm::page, 2);
    image::image_plan plan;
    plan.path = chain::path_in(directory.path(), 1);
    plan.regions = image::upper_regions(0, 0);
    image::image_writer writer(std::move(plan));
    if (!writer.write_shared()) return "not written";
    const pid_t child = fork();
    if (child == 0) _exit(writer.finish() ? 0 : 1);
    wm::fill(wm::heap, 10 * wm::page, 3);
    wm::fill(wm::shared, 10 * wm::page, 4);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return "the child failed";
    writer.taken_over();
    return in_child([&]() -> std::string {
      munmap(reinterpret_cast<void*>(wm::heap), 10 * wm::page);
      munmap(reinterpret_cast<void*>(wm::shared), 10 * wm::page);
      image::rank_image(chain::path_in(directory.path(), 1)).restore_memory();
      return wm::difference(wm::heap, 10 * wm::page, 1) + wm::difference(wm::shared, 10 * wm::page, 2);
    });
  }) == "");
}

TEST_CASE("a mapping that was cut in two after the base is kept in two") {
  for (const bool tracked : {false, true}) {
    const temporary_directory directory;
    std::vector<unsigned char> expected(pages);
    const std::string wrong = in_child([&]() -> std::string {
      wm::map(wm::heap, pages * wm::page);
      for (std::size_t i = 0; i < 200; ++i) fill_page(expected, i, static_cast<unsigned char>(1 + i));
      chain images(directory.path(), tracked);
      if (!images.can_track()) return "cannot track";
      images.add();
      wm::protect(wm::heap + 100 * wm::page, 50 * wm::page, PROT_READ);
      if (images.add().stored_bytes != 0) return "what did not change was stored";
      return restores(directory.path(), images.newest(), expected);
    });
    if (tracked && wrong == "cannot track") continue;
    CHECK(wrong == "");
  }
}

TEST_CASE("looking for changes makes no page of what was never touched") {
  CHECK(in_child([]() -> std::string {
    wm::map(wm::sparse, wm::sparse_bytes);
    const auto page_at_number = [](std::size_t i) { return reinterpret_cast<char*>(wm::sparse + i * wm::page); };
    constexpr std::size_t touched[] = {0, 5, 700'000};
    for (const std::size_t i : touched) *page_at_number(i) = 1;
    image::change_tracker tracker;
    if (tracker.way() != "page tables") return "";
    for (int round = 0; round < 2; ++round) tracker.mark(image::upper_regions(0, 0));
    const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    for (const std::size_t i : {1ul, 6ul, 100'000ul, 700'001ul, wm::sparse_bytes / wm::page - 1}) {
      std::uint64_t entry = 1;
      const auto at = static_cast<off_t>((wm::sparse / wm::page + i) * sizeof entry);
      if (pread(fd, &entry, sizeof entry, at) != sizeof entry) return "no page map";
      if ((entry >> 62) != 0) return "page " + std::to_string(i) + " is there";
    }
    close(fd);
    return "";
  }) == "");
}

}  // namespace incremental_tests
