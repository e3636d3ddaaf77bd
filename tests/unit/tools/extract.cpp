#include <runtime/tools/memory/core_file.hpp>
#include <runtime/tools/options/command_line.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/interruption.hpp>
#include <runtime/tools/text/new_file.hpp>
#include <runtime/tools/text/safe_name.hpp>
#include "saved_image.hpp"

#include "../image/in_child.hpp"

#include <runtime/symbols/core_memory.hpp>

#include <doctest/doctest.h>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace tools_extract_tests {

using namespace mana;
using namespace mana::tools;
namespace wm = window_memory;

namespace {

extract_command from(const std::string& image, const std::string& output) {
  extract_command wanted;
  wanted.what = image;
  wanted.output = output;
  wanted.json = true;
  return wanted;
}

/// The status of one that is to be refused.
mana::exit_status refusal(const extract_command& wanted) {
  try {
    extract(wanted);
  } catch (const failure& failed) {
    return failed.code();
  }
  return mana::exit_status::success;
}

mode_t mode_of(const std::filesystem::path& file) {
  struct stat about{};
  REQUIRE(stat(file.c_str(), &about) == 0);
  return about.st_mode & 07777;
}

}  // namespace

TEST_CASE("sections and memory are written to new files for their owner alone") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string image = saved_image::write(own, "image", "lz4");
  extract_command wanted = from(image, own.path() / "section");
  wanted.section = "one";
  const mode_t before = umask(0);
  CHECK(extract(wanted) == 0);
  umask(before);
  CHECK(read_bytes(wanted.output) == "1");
  CHECK(mode_of(wanted.output) == 0600);
  CHECK(refusal(wanted) == mana::exit_status::usage);                 // it is there now
  CHECK(read_bytes(wanted.output) == "1");
  wanted.output = own.path() / "other";
  wanted.section = "two";
  CHECK(refusal(wanted) == mana::exit_status::usage);
  CHECK_FALSE(std::filesystem::exists(wanted.output));
  wanted = from(image, own.path() / "memory");
  wanted.range = {wm::heap + 5, wm::heap + 100 * wm::page + 9};
  CHECK(extract(wanted) == 0);
  CHECK(read_bytes(wanted.output) == std::string(saved_image::page_at(0) + 5, 100 * wm::page + 4));
  wanted.output = own.path() / "outside";
  wanted.range = {wm::heap, wm::heap + saved_image::bytes + 1};
  CHECK(refusal(wanted) == mana::exit_status::usage);
}

TEST_CASE("links and what is there are not followed or written over") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string image = saved_image::write(own, "image");
  own.write("victim", "mine");
  std::filesystem::create_symlink(own.path() / "victim", own.path() / "link");
  std::filesystem::create_symlink(own.path() / "nothing", own.path() / "dangling");
  for (const char* name : {"link", "dangling"}) {
    extract_command wanted = from(image, own.path() / name);
    wanted.section = "one";
    CHECK(refusal(wanted) == mana::exit_status::usage);
    wanted.section.clear();
    wanted.all = true;
    CHECK(refusal(wanted) == mana::exit_status::usage);
  }
  CHECK(read_bytes(own.path() / "victim") == "mine");
  CHECK_FALSE(std::filesystem::exists(own.path() / "nothing"));
}

TEST_CASE("what a signal ends leaves nothing, and nothing has its name before it is whole") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string image = saved_image::write(own, "image");
  for (const int signal : {SIGTERM, SIGINT}) {
    for (const bool all : {false, true}) {
      extract_command wanted = from(image, own.path() / "out");
      (all ? wanted.all : wanted.core) = true;
      CHECK(in_child([&]() -> std::string {
        const interruption outer;                              // so that it is there when the first byte is to be written
        raise(signal);
        try {
          const saved_memory saved(image);
          new_directory directory(wanted.output);
          new_file file((all ? directory.place() + "/x" : wanted.output + "x"));
          file.write(0, std::span<const char>("1", 1));
        } catch (const interrupted& by) {
          return by.signal() == signal ? "" : "another signal";
        }
        return "not interrupted";
      }) == "");
    }
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(own.path())) files += entry.path().filename() != "image";
  CHECK(files == 0);
  {
    new_file file(own.path() / "late");
    file.write(0, std::span<const char>("1", 1));
    CHECK_FALSE(std::filesystem::exists(own.path() / "late"));
    own.write("late", "another's");
    CHECK_THROWS_AS(file.finish(1), failure);
  }
  CHECK(read_bytes(own.path() / "late") == "another's");
}

TEST_CASE("all parts are files below a new directory, whatever they are called") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string image = saved_image::write(own, "image", "none", {saved_image::section_of("../../evil", "1"),
                                                                     saved_image::section_of("..", "2")});
  extract_command wanted = from(image, own.path() / "all");
  wanted.all = true;
  CHECK(extract(wanted) == 0);
  CHECK(mode_of(wanted.output) == 0700);
  CHECK(read_bytes(own.path() / "all/section-_._.._evil") == "1");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(wanted.output)) {
    ++files;
    CHECK(mode_of(entry.path()) == 0600);
  }
  CHECK(files == 3);
  CHECK_FALSE(std::filesystem::exists(own.path() / "evil"));
}

TEST_CASE("names of files") {
  CHECK(safe_name("libc.so.6") == "libc.so.6");
  CHECK(safe_name("..") == "_.");
  CHECK(safe_name(".") == "_");
  CHECK(safe_name("a/../b") == "a_.._b");
  CHECK(safe_name(std::string("a\0b\n", 4)) == "a_b_");
  CHECK(safe_name("") == "");
  CHECK(shown("a\tb\x1b\x7f\n") == "a\\tb\\x1b\\x7f\\n");
  CHECK(shown_lines("a\n\x1b") == "a\n\\x1b");
  CHECK(shown("Grüße \xff") == "Grüße \xff");
  CHECK(safe_name(std::string(500, 'x')).size() == 100);
}

TEST_CASE("a core dump has the memory at its addresses") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  extract_command wanted = from(saved_image::write(own, "image", "zstd"), own.path() / "core");
  wanted.core = true;
  CHECK(extract(wanted) == 0);
  const symbols::core_memory core(wanted.output);
  std::vector<char> got(saved_image::bytes);
  REQUIRE(core.read(wm::heap, got.data(), got.size()));
  CHECK(std::memcmp(got.data(), saved_image::page_at(0), got.size()) == 0);
  CHECK_FALSE(core.read(wm::heap + saved_image::bytes, got.data(), 1));
}

TEST_CASE("zeros in a shared file that the program could write to are in a core dump, whatever the file has later") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const auto file = own.write("file", std::string(4 * wm::page, '\0'));
  const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
  wm::map(wm::shared, 4 * wm::page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  extract_command wanted = from(saved_image::write(own, "image"), own.path() / "core");
  munmap(reinterpret_cast<void*>(wm::shared), 4 * wm::page);
  wanted.core = true;
  CHECK(extract(wanted) == 0);
  const std::string core = read_bytes(wanted.output);
  Elf64_Ehdr header;
  std::memcpy(&header, core.data(), sizeof header);
  std::size_t found = 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, core.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD || segment.p_vaddr != wm::shared) continue;
    ++found;
    CHECK(segment.p_filesz == 4 * wm::page);
    CHECK(segment.p_offset + segment.p_filesz <= core.size());
  }
  CHECK(found == 1);
}

TEST_CASE("what is to be extracted is said once") {
  const auto refused = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"extract", "d", "-o", "f"});
    try {
      parse_command_line(words);
    } catch (const failure& failed) {
      return failed.code() == mana::exit_status::usage;
    }
    return false;
  };
  CHECK(refused({}));
  CHECK(refused({"--core", "--all"}));
  CHECK(refused({"--section", "a", "--range", "0x1-0x2"}));
  for (const char* wrong : {"0x1", "2-1", "1-1", "-", "0x-1", "1-2-3", "x-y", ""}) CHECK(refused({"--range", wrong}));
  CHECK_FALSE(refused({"--core"}));
  const auto parsed = std::get<extract_command>(parse_command_line({"extract", "d", "--range", "0x200000000000-200000001000",
                                                                    "--output=f", "--rank", "3"}));
  CHECK(parsed.range.begin == 0x200000000000);
  CHECK(parsed.range.bytes() == 0x1000);
  CHECK(parsed.rank == 3);
}

}  // namespace tools_extract_tests
