// An image that a copy of the process writes has the memory of the moment at which the copy was made.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/memory/shared_value.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/save/image_saver.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>

namespace process_copy_tests {

using namespace mana;
namespace fs = std::filesystem;
namespace wm = window_memory;

namespace {

/// The memory as it is; what is derived from this does something when a pass over it begins.
class own_pages : public image::page_source {
 public:
  bool open() noexcept override { return memory_.open(); }
  int find_touched(const image::region& r, std::uintptr_t begin, std::size_t pages, bool* touched) noexcept override {
    return memory_.find_touched(r, begin, pages, touched);
  }
  bool copy(const image::region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, char* into) noexcept override {
    return memory_.copy(r, begin, pages, wanted, into);
  }

 private:
  image::own_memory memory_;
};

/// The copy waits before it writes its image: for what the test does once the process runs on.
class held_back final : public own_pages {
 public:
  explicit held_back(int go) : go_(go) {}
  bool open() noexcept override {
    char byte = 0;
    if (opened_++ > 0 && read(go_, &byte, 1) != 1) return false;
    return own_pages::open();
  }

 private:
  int go_, opened_ = 0;
};

/// out: why it was not written
std::string write_forked(const std::string& path, const std::function<void()>& meanwhile) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  held_back memory(ends[0]);
  std::promise<std::string> failed;
  image::image_saver saver({});
  image::image_plan plan;
  plan.path = path;
  plan.regions = image::upper_regions(0, 0);
  plan.pages = &memory;
  saver.write_aside(std::move(plan), 1, [&](const image::saved_image&, const std::string& why) { failed.set_value(why); });
  meanwhile();
  if (write(ends[1], "", 1) != 1) return "the copy cannot be told to go on";
  return failed.get_future().get();
}

std::string restored(const std::string& path, const std::function<std::string()>& difference) {
  return in_child([&]() -> std::string {
    image::rank_image(path).restore_memory();
    return difference();
  });
}

void write_file(const fs::path& path, char begins, std::size_t bytes) { std::ofstream(path) << std::string(bytes, begins); }

/// As far as its first bytes say.
void write_program(const fs::path& path) { std::ofstream(path) << "\177ELF" << std::string(wm::small - 4, 'p'); }

void map_file(std::uintptr_t at, const fs::path& path, int protection) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  wm::map(at, wm::small, protection, MAP_PRIVATE, fd);
  close(fd);
}

bool is_all(std::uintptr_t begin, std::size_t bytes, char value) {
  const auto* const memory = reinterpret_cast<const char*>(begin);
  for (std::size_t i = 0; i < bytes; ++i)
    if (memory[i] != value) return false;
  return true;
}

}  // namespace

TEST_CASE("INV-58 memory that madvise has excepted from copies is in the image of one") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  REQUIRE(in_child([&]() -> std::string {
    wm::make_small();
    for (const auto& [at, advice] : {std::pair{wm::hidden, MADV_DONTFORK}, std::pair{wm::library, MADV_WIPEONFORK}}) {
      wm::map(at, wm::small);
      wm::fill(at, wm::small, 2);
      if (madvise(reinterpret_cast<void*>(at), wm::small, advice) != 0) return "no such advice";
    }
    return write_forked(path, [] { wm::fill(wm::heap, wm::small, 3); });
  }) == "");
  CHECK(restored(path, [] {
    return wm::difference_small() + wm::difference(wm::hidden, wm::small, 2) + wm::difference(wm::library, wm::small, 2);
  }) == "");
}

TEST_CASE("INV-58 a copy's image has files' pages as they were, whoever writes to the files meanwhile") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const fs::path written = directory.path() / "written", cut = directory.path() / "cut";
  for (const fs::path& file : {written, cut}) write_file(file, 'a', wm::small);
  REQUIRE(in_child([&]() -> std::string {
    map_file(wm::hidden, written, PROT_READ);
    map_file(wm::library, cut, PROT_READ | PROT_WRITE);
    *reinterpret_cast<char*>(wm::library) = 'a';
    return write_forked(path, [&] {
      std::fstream(written) << std::string(wm::small, 'b');
      fs::resize_file(cut, 0);
    });
  }) == "");
  CHECK(restored(path, []() -> std::string {
    if (!is_all(wm::hidden, wm::small, 'a')) return "what was written later";
    return is_all(wm::library, wm::small, 'a') ? "" : "what was cut off later";
  }) == "");
}

TEST_CASE("INV-58 a program that is written to while a copy writes its image is named") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const fs::path program = directory.path() / "program", other = directory.path() / "other";
  const auto write_meanwhile = [&](const std::function<void()>& meanwhile) {
    write_program(program);
    return in_child([&]() -> std::string {
      map_file(wm::library, program, PROT_READ);
      return write_forked(path, meanwhile);
    });
  };
  CHECK(write_meanwhile([&] { std::ofstream(program, std::ios::app) << "b"; }).find(program.string() + ", which") !=
        std::string::npos);
  CHECK(!fs::exists(path));
  CHECK(write_meanwhile([&] {
    write_program(other);
    fs::rename(other, program);
  }) == "");
}

TEST_CASE("programs are written by the copy, and locks on files stay") {
  const temporary_directory directory;
  const fs::path program = directory.path() / "program", data = directory.path() / "data";
  write_program(program);
  write_file(data, 'a', wm::small);
  CHECK(in_child([&]() -> std::string {
    map_file(wm::code, program, PROT_READ);
    map_file(wm::library, data, PROT_READ);
    wm::make_small();
    const int fd = open(data.c_str(), O_RDWR | O_CLOEXEC);
    struct flock all{};
    all.l_type = F_WRLCK;
    if (fcntl(fd, F_SETLK, &all) != 0) return "no lock";
    auto regions = image::upper_regions(0, 0);
    image::mark_not_copied(regions, true);
    for (const image::region& r : regions)
      if (r.is_not_copied != (r.begin == wm::library)) return "other memory than that of data";
    return in_child([&]() -> std::string {
      struct flock held = all;
      return fcntl(fd, F_GETLK, &held) == 0 && held.l_type == F_WRLCK ? "" : "the lock is lost";
    });
  }) == "");
}

TEST_CASE("the process that writes an image aside lets the program have the cores first") {
  class priority_of_writer final : public own_pages {
   public:
    explicit priority_of_writer(int& there) : there_(there) {}
    /// The last pass is the writer's own.
    bool open() noexcept override {
      there_ = getpriority(PRIO_PROCESS, 0);
      return own_pages::open();
    }

   private:
    int& there_;
  };
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    const int before = getpriority(PRIO_PROCESS, 0);
    const image::shared_value<int> found;
    priority_of_writer memory(*found);
    std::promise<std::string> failed;
    image::saving how;
    how.nice = 3;
    image::image_saver saver(how);
    image::image_plan plan;
    plan.path = directory.path() / "image";
    plan.regions = image::upper_regions(0, 0);
    plan.pages = &memory;
    saver.write_aside(std::move(plan), 1, [&](const image::saved_image&, const std::string& why) { failed.set_value(why); });
    const std::string why = failed.get_future().get();
    if (!why.empty()) return why;
    if (*found != std::min(before + 3, 19)) return "the writer has " + std::to_string(*found);
    return getpriority(PRIO_PROCESS, 0) == before ? "" : "the program has another than before";
  }) == "");
}

}  // namespace process_copy_tests
