// Images that somebody made by hand, whose checksums are right, are refused before anything is mapped.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "open_image.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>

namespace crafted_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr std::size_t region_at = 0;          // in the tables: there are no sections

std::string sound_bytes(const temporary_directory& directory) {
  const std::string path = directory.path() / "sound";
  std::filesystem::remove(path);
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    image::write_rank_image(path, 0, 1, {}, image::upper_regions(0, 0));
    return {};
  }) == "");
  return read_bytes(path);
}

std::string maps() {
  std::ifstream file("/proc/self/maps");
  std::string all, line;
  while (std::getline(file, line)) {
    const unsigned long begin = std::stoul(line, nullptr, 16);
    if (begin >= lower::window_begin && begin < lower::window_end) all += line + "\n";
  }
  return all;
}

/// out: "" if a restart refuses it as damaged and has mapped nothing
std::string refused_unmapped(const std::string& path) {
  return in_child([&]() -> std::string {
    try {
      image::rank_image(path).restore_memory();
      return "restored";
    } catch (const files::image_error& error) {
      if (error.kind() != files::error_kind::damaged) return std::string("another kind of error: ") + error.what();
    }
    return maps();
  });
}

using change = std::function<void(open_image&)>;

/// The first region is a shared mapping of that file.
change with_path(const std::string& path) {
  return [=](open_image& i) {
    image::region_record r{};
    std::memcpy(&r, i.tables.data() + region_at, sizeof r);
    i.tables.erase(region_at, sizeof r + r.path_bytes);
    r.shared = 1;
    r.path_bytes = path.size();
    i.tables.insert(region_at, std::string(reinterpret_cast<const char*>(&r), sizeof r) + path);
  };
}

const std::pair<const char*, change> changes[] = {
    {"a region outside the window", [](open_image& i) { i.record<image::region_record>(region_at).begin = 0x7000'0000'0000; }},
    {"a region at 0", [](open_image& i) { i.record<image::region_record>(region_at).begin = 0; }},
    {"a region that begins at 0, of a fixed program", [](open_image& i) {
       i.record<image::region_record>(region_at).begin = 0;
       i.record<image::region_record>(region_at).end = 4096;
     }},
    {"a region between pages of its file", [](open_image& i) { i.record<image::region_record>(region_at).offset = 100; }},
    {"a region behind all files", [](open_image& i) { i.record<image::region_record>(region_at).offset = ~std::uint64_t{4095}; }},
    {"memory that is neither shared nor not", [](open_image& i) { i.record<image::region_record>(region_at).shared = 2; }},
    {"a path with an end within", with_path(std::string("/etc\0/passwd", 12))},
    {"a path that no file has", with_path("/" + std::string(5000, 'x'))},
    {"a region that ends before it begins", [](open_image& i) { std::swap(i.record<image::region_record>(region_at).begin, i.record<image::region_record>(region_at).end); }},
    {"a region of no pages", [](open_image& i) { i.record<image::region_record>(region_at).begin += 1; }},
    {"a region up to the end of all memory", [](open_image& i) { i.record<image::region_record>(region_at).end = ~std::uint64_t{4095}; }},
    {"a protection that is none", [](open_image& i) { i.record<image::region_record>(region_at).protection = 0x80; }},
    {"a path that is longer than the tables", [](open_image& i) { i.record<image::region_record>(region_at).path_bytes = 1ull << 40; }},
    {"regions that overlap", [](open_image& i) {
       i.tables.insert(0, i.tables.substr(region_at, sizeof(image::region_record)));
       ++i.end.region_count;
     }},
    {"regions without end", [](open_image& i) { i.end.region_count = ~0u; }},
    {"sections without end", [](open_image& i) { i.end.section_count = ~0u; }},
    {"sources without end", [](open_image& i) { i.end.source_count = ~0u; }},
    {"chunks without end", [](open_image& i) { i.end.chunk_count = 1ull << 60; }},
    {"one chunk too few", [](open_image& i) { --i.end.chunk_count; }},
    {"one chunk left out", [](open_image& i) {
       i.tables.resize(i.tables.size() - sizeof(image::chunk_record));
       --i.end.chunk_count;
     }},
    {"more memory than chunks", [](open_image& i) { i.end.memory_bytes += 4096; }},
    {"a chunk outside the program's memory", [](open_image& i) { i.chunk(0).address -= 4096; }},
    {"a chunk at a wild address", [](open_image& i) { i.chunk(0).address = ~std::uint64_t{4095}; }},
    {"a chunk between pages", [](open_image& i) { i.chunk(0).address += 8; }},
    {"a chunk beyond its region", [](open_image& i) { i.chunk(i.end.chunk_count - 1).address = wm::heap + wm::small; }},
    {"chunks that overlap", [](open_image& i) { i.chunk(1).address = i.chunk(0).address; }},
    {"chunks in no order", [](open_image& i) { std::swap(i.chunk(0), i.chunk(1)); }},
    {"a chunk of no bytes", [](open_image& i) { i.chunk(0).memory_bytes = 0; }},
    {"a chunk of absurd size", [](open_image& i) { i.chunk(0).unpacked_bytes = 1u << 31; }},
    {"a chunk that takes more than it gives", [](open_image& i) { i.chunk(0).stored_bytes = 1u << 30; }},
    {"a chunk before the file's chunks", [](open_image& i) { i.chunk(0).offset = 0; }},
    {"a chunk behind the file's chunks", [](open_image& i) { i.chunk(0).offset = i.end.tables_offset; }},
    {"a chunk behind all files", [](open_image& i) { i.chunk(0).offset = ~std::uint64_t{4095}; }},
    {"more skipped than there is", [](open_image& i) { i.chunk(0).skipped_bytes = i.chunk(0).unpacked_bytes; }},
    {"skipped between pages", [](open_image& i) { i.chunk(0).skipped_bytes = 100; }},
    {"a codec that is none", [](open_image& i) { i.chunk(0).codec = 77; }},
    {"a source that is none", [](open_image& i) { i.chunk(0).source = 1; }},
    {"tables in the header", [](open_image& i) { i.end.tables_offset = 16; }},
    {"tables behind the file", [](open_image& i) { i.end.tables_offset = 1ull << 50; }},
    {"something more in the tables", [](open_image& i) { i.tables += std::string(48, 'x'); }},
    {"a chunk's record with more in it", [](open_image& i) { i.chunk(0).zero[4] = 1; }},
    {"a header of another page size", [](open_image& i) { i.header.page_bytes = 8192; }},
    {"a header with more in it", [](open_image& i) { i.header.section_count = 1; }},
    {"a header with tables of version 1", [](open_image& i) { i.header.tables_bytes = 1; }},
    {"a trailer of another kind", [](open_image& i) { i.end.zero = 1; }},
};

/// A source record of this kind and name, and a chunk that refers to it.
change refers_to(std::uint32_t kind, const std::string& name) {
  return [=](open_image& i) {
    i.chunk(0).source = 1;            // first: what stands behind a name is not aligned
    const image::source_record s{kind, static_cast<std::uint32_t>(name.size()), kind == 2 ? 0u : 1u, 2};
    i.tables.insert(i.tables.size() - i.end.chunk_count * sizeof(image::chunk_record),
                    std::string(reinterpret_cast<const char*>(&s), sizeof s) + name);
    i.end.source_count = 1;
  };
}

}  // namespace

TEST_CASE("an image made by hand is refused before anything is mapped") {
  const temporary_directory directory;
  const std::string sound = sound_bytes(directory);
  CHECK(open_image(sound).sealed() == sound);
  REQUIRE(open_image(sound).end.chunk_count > 2);
  for (const auto& change : changes) {
    const auto& make = change.second;
    INFO(change.first);
    open_image opened(sound);
    make(opened);
    CHECK(refused_unmapped(directory.write("crafted", opened.sealed())) == "");
  }
}

TEST_CASE("an image does not lead out of its directory of checkpoints") {
  const temporary_directory directory;
  const std::string sound = sound_bytes(directory);
  for (const auto& bad : {std::pair{1u, "../../etc/passwd"}, {1u, ".."}, {1u, "."}, {1u, ""}, {1u, "a/b"},
                                   {1u, "/etc/passwd"}, {2u, "relative"}, {2u, ""}, {3u, "../file-1"}, {3u, ""},
                                   {4u, "rank-00000.mana"}, {3u, "/usr/../etc/passwd"}, {1u, "a/../b"},
                                   {3u, "file-1/../../b"}}) {
    const auto [kind, name] = bad;
    INFO(bad.first << " " << bad.second);
    open_image opened(sound);
    refers_to(kind, name)(opened);
    CHECK(refused_unmapped(directory.write("crafted", opened.sealed())) == "");
  }
  open_image opened(sound);
  refers_to(1, std::string("a\0b", 3))(opened);
  CHECK(refused_unmapped(directory.write("crafted", opened.sealed())) == "");
}

TEST_CASE("names that no file can have are refused; a file of the program's may have any path, and is only compared") {
  const temporary_directory directory;
  const std::string sound = sound_bytes(directory);
  const auto with = [&](std::uint32_t kind, const std::string& name) {
    open_image opened(sound);
    refers_to(kind, name)(opened);
    return refused_unmapped(directory.write("crafted", opened.sealed()));
  };
  for (const std::uint32_t kind : {1u, 3u}) {
    CHECK(with(kind, std::string(256, 'a')) == "");
    CHECK(with(kind, std::string(1u << 20, 'a')) == "");
  }
  CHECK(with(2, "/" + std::string(4095, 'a')) == "");
  for (const char* const path : {"/usr/../etc/hostname", "/proc/self/../self/exe", "/.."})
    CHECK(with(2, path).starts_with("another kind of error: " + std::string(path) + ": the program's memory is partly in"));
}

TEST_CASE("a mapped file that is a FIFO now is not waited for") {
  const temporary_directory directory;
  const std::string fifo = directory.path() / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  open_image opened(sound_bytes(directory));
  opened.record<image::region_record>(region_at).protection = PROT_READ;
  with_path(fifo)(opened);
  const std::string path = directory.write("crafted", opened.sealed());
  CHECK(in_child([&]() -> std::string {
    alarm(120);
    try {
      image::rank_image(path).restore_memory();
      return "restored";
    } catch (const files::image_error& error) {
      return std::string(error.what()).find("cannot be mapped: No such device") != std::string::npos ? "" : error.what();
    }
  }) == "");
}

}  // namespace crafted_tests
