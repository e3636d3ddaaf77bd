// Images that refer to the program's files for memory that is as it is there.
#include "../long_run.hpp"
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/format/build_id.hpp>
#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/origins/program_files.hpp>
#include <runtime/image/origins/shared_text.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/save/image_saver.hpp>
#include <runtime/image/write/image_writer.hpp>
#include <runtime/store/compaction.hpp>
#include <runtime/store/generation_choice.hpp>
#include <runtime/store/manifest.hpp>
#include <runtime/store/store.hpp>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace program_files_tests {

using namespace mana;
namespace wm = window_memory;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t text_pages = 200, data_pages = 20, changed_page = 7;

/// Its text is as compilers make it: what sanitizers add packs better. It is a tenth as large as this program.
fs::path c_library() {
  Dl_info about{};
  REQUIRE(dladdr(reinterpret_cast<void*>(gnu_get_libc_version), &about) != 0);
  return fs::canonical(about.dli_fname);
}

/// A library, mapped as loaders do: read-only, and writable with a page that was written
/// to; and memory of the program's own.
void map_program(const fs::path& library) {
  const int fd = open(library.c_str(), O_RDONLY | O_CLOEXEC);
  wm::map(wm::library, text_pages * wm::page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  wm::map(wm::file, data_pages * wm::page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 10 * wm::page);
  close(fd);
  std::memset(reinterpret_cast<char*>(wm::file) + changed_page * wm::page, 0x5a, wm::page);
  wm::make_small();
}

/// out: "" or what is not as map_program() left it
std::string difference(const std::string& library_bytes) {
  if (std::memcmp(reinterpret_cast<void*>(wm::library), library_bytes.data(), text_pages * wm::page) != 0) return "text differs";
  const char* const data = reinterpret_cast<const char*>(wm::file);
  for (std::size_t p = 0; p < data_pages; ++p)
    if (p != changed_page && std::memcmp(data + p * wm::page, library_bytes.data() + (10 + p) * wm::page, wm::page) != 0)
      return "data differs";
  for (std::size_t i = 0; i < wm::page; ++i)
    if (data[changed_page * wm::page + i] != 0x5a) return "what was written differs";
  return wm::difference_small();
}

image::image_plan plan_of(const std::string& path) {
  image::image_plan plan;
  plan.path = path;
  plan.regions = image::upper_regions(0, 0);
  plan.origins = image::origins_of(plan.regions);
  plan.how = image::parse_packing("none");
  return plan;
}

struct scene {
  temporary_directory directory;
  fs::path library = directory.path() / "library.so";
  std::string image = directory.path() / "image", bytes;
  scene() {
    fs::copy_file(c_library(), library);
    std::ofstream(library, std::ios::binary | std::ios::app) << std::string(8 * wm::page, 'd');      // as debug information: not loaded
    bytes = read_bytes(library);
  }
  void write() const {
    REQUIRE(in_child([&]() -> std::string {
      map_program(library);
      image::image_plan plan = plan_of(image);
      image::note_builds(plan.origins);
      plan.sections = {image::files_section(plan.origins)};
      const image::write_result w = image::write_rank_image(std::move(plan));
      const std::size_t most = (1 + 16 + 2) * wm::page;
      if (w.stored_bytes > most) return std::to_string(w.stored_bytes) + " bytes were stored";
      return w.referred_bytes < (text_pages + data_pages - 1) * wm::page / 2 ? "little is referred to" : "";
    }) == "");
  }
  std::string restored(const files::path_map& moved = {}) const {
    return in_child([&]() -> std::string {
      image::rank_image own(image);
      own.check_program_files(moved);
      own.restore_memory({}, moved);
      return difference(bytes);
    });
  }
  /// What is said before any memory is mapped.
  std::string refused() const {
    image::rank_image own(image);
    try {
      own.check_program_files({});
      return "not refused";
    } catch (const files::image_error& error) {
      CHECK(error.kind() == files::error_kind::file);
      return error.what();
    }
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("what is as it is in a file is not stored, and comes back from there; what was written to is stored") {
  const scene s;
  s.write();
  CHECK(s.restored() == "");
}

TEST_CASE("lazily restored memory is mapped from the program's file too") {
  const scene s;
  s.write();
  CHECK(in_child([&]() -> std::string {
    image::rank_image own(s.image);
    image::lazy_memory left = own.restore_lazily({}, {}, [](const image::region&) { return true; });
    if (left.mapped.empty()) return "nothing was mapped";
    if (const std::string wrong = difference(s.bytes); !wrong.empty()) return wrong;
    own.check_unread(left);
    return "";
  }) == "");
}

TEST_CASE("INV-42 an image refers to a page of a file only if memory and file are the same at that time") {
  const scene s;
  CHECK(in_child([&]() -> std::string {
    map_program(s.library);
    // An origin that says what is not so: memory that was mapped anew, and a file that was replaced.
    image::image_plan plan = plan_of(s.image);
    plan.origins.push_back({wm::heap, wm::heap + wm::small, s.library, 0});
    fs::rename(s.library, s.library.string() + ".old");
    std::string other = s.bytes;
    for (std::size_t p = 50; p < text_pages; ++p) other[p * wm::page + 1] ^= 1;
    std::ofstream(s.library, std::ios::binary) << other;
    const image::write_result w = image::write_rank_image(std::move(plan));
    return w.stored_bytes < (text_pages - 60) * wm::page ? "too little is stored" : "";
  }) == "");
  CHECK(s.restored() == "");
}

TEST_CASE("another build, no file, or what is no file, is refused before any memory is mapped") {
  const scene s;
  s.write();
  fs::rename(s.library, s.library.string() + ".old");
  CHECK(has(s.refused(), s.library.string()));
  CHECK(has(s.refused(), "No such file"));
  fs::copy_file(c_library(), s.library);
  std::string other = s.bytes;
  const std::string id = image::build_id_of({reinterpret_cast<const unsigned char*>(other.data()), other.size()});
  std::string note;
  for (std::size_t i = 0; i < id.size(); i += 2) note += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
  other[other.find(note)] ^= 1;
  std::ofstream(s.library, std::ios::binary | std::ios::trunc) << other;
  CHECK(has(s.refused(), "is another build now (build id "));
  CHECK(has(s.refused(), ") than at the checkpoint (build id " + id + ")"));
  fs::remove(s.library);
  mkfifo(s.library.c_str(), 0600);
  CHECK(has(s.refused(), "it is not a regular file"));       // and nobody waits for who writes to it
  fs::remove(s.library);
  fs::create_directory(s.library);
  CHECK(has(s.refused(), "it is not a regular file"));
}

TEST_CASE("a file of the same build whose contents have changed is found by its checksum") {
  const scene s;
  s.write();
  std::string other = s.bytes;
  other[150 * wm::page + 5] ^= 1;
  std::ofstream(s.library, std::ios::binary | std::ios::trunc) << other;
  CHECK(has(s.restored(), "which has changed since the checkpoint"));
  CHECK_THROWS_AS(image::rank_image(s.image).verify(), files::image_error);
  fs::resize_file(s.library, 100 * wm::page);
  CHECK(has(s.restored(), "which has changed since the checkpoint"));
}

TEST_CASE("a file that was moved is found where it is said to be") {
  const scene s;
  s.write();
  fs::create_directory(s.directory.path() / "new");
  fs::rename(s.library, s.directory.path() / "new" / "library.so");
  files::path_map moved;
  moved.add(s.library.string() + "=" + (s.directory.path() / "new" / "library.so").string());
  CHECK(s.restored(moved) == "");
}

TEST_CASE("the image after a restart refers to the files again, and so does one of changes") {
  const scene s;
  s.write();
  for (const bool incremental : {false, true}) {
    const fs::path next = s.directory.path() / ("next" + std::to_string(incremental)), after = next.string() + "a";
    CHECK(in_child([&]() -> std::string {
      image::saving how;
      how.by_reference = true;
      how.incremental = incremental;
      how.how = image::parse_packing("none");
      image::image_saver saver(how);
      image::rank_image own(s.image);
      own.restore_memory();
      saver.begin_from(own.about(), 1, "image", own.regions(), "");
      const auto write = [&](const fs::path& path, std::uint64_t generation) {
        image::image_plan plan;
        plan.path = path;
        plan.regions = image::upper_regions(0, 0);
        return saver.write(std::move(plan), generation);
      };
      const auto first = write(next, 2);
      saver.settle(image::kept_image::in_directory);
      if (first.written.stored_bytes > 20 * wm::page) return "after the restart all is stored";
      if (!has(first.mode, "files by reference")) return first.mode;
      const auto second = write(after, 3);
      if (second.written.stored_bytes > 20 * wm::page) return "the second time all is stored";
      const image::rank_image again(after);
      std::size_t libraries = 0;
      for (const image::source& source : again.about().sources) libraries += source.kind == image::source_kind::program_file;
      return libraries == 1 ? "" : std::to_string(libraries) + " libraries are named";
    }) == "");
  }
}

TEST_CASE("after a restart from another place images refer to that one, and need no words about the old one") {
  const scene s;
  s.write();
  const fs::path now = s.directory.path() / "new" / "library.so";
  fs::create_directory(now.parent_path());
  fs::rename(s.library, now);
  files::path_map moved;
  moved.add(s.library.string() + "=" + now.string());
  for (const bool incremental : {false, true}) {
    const fs::path next = s.directory.path() / "gen-000002" / (incremental ? "changes" : "whole");
    fs::create_directory(next.parent_path());
    fs::permissions(next.parent_path(), fs::perms::owner_all);
    fs::create_directory(s.directory.path() / "gen-000001");
    fs::permissions(s.directory.path() / "gen-000001", fs::perms::owner_all);
    fs::copy_file(s.image, s.directory.path() / "gen-000001" / "image", fs::copy_options::overwrite_existing);
    CHECK(in_child([&]() -> std::string {
      image::saving how;
      how.by_reference = true;
      how.incremental = incremental;
      how.how = image::parse_packing("none");
      image::image_saver saver(how);
      image::rank_image own(s.image);
      own.restore_memory({}, moved);
      saver.begin_from(own.about(), 1, "image", own.regions(), "", moved);
      image::image_plan plan;
      plan.path = next;
      plan.regions = image::upper_regions(0, 0);
      return saver.write(std::move(plan), 2).written.stored_bytes > 20 * wm::page ? "all is stored" : "";
    }) == "");
    CHECK(in_child([&]() -> std::string {
      image::rank_image own(next);
      own.check_program_files({});
      own.check_sources();
      own.restore_memory();
      for (const image::file_origin& o : image::origins_of(own.about(), next))
        if (o.path == s.library) return "the old path is still named";
      return difference(s.bytes);
    }) == "");
  }
}

TEST_CASE("a file that is written to while it is referred to, or copied, makes the checkpoint fail at once") {
  for (const bool by_copy : {false, true}) {
    const scene s;
    const fs::path generation = s.directory.path() / "gen-000001";
    fs::create_directory(generation);
    fs::permissions(generation, fs::perms::owner_all);
    CHECK(in_child([&]() -> std::string {
      map_program(s.library);
      image::image_plan plan = plan_of(generation / "rank-00000.mana");
      if (by_copy) plan.node = "a";
      plan.generation = 1;
      image::image_writer writer(std::move(plan));
      const auto write = [&] { std::fstream(s.library, std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('x'); };
      if (!by_copy) write();
      const bool well = writer.write_shared() && writer.finish();
      if (!by_copy) return !well && has(writer.failure_text(writer.failure()), "was written to during the "
                                                                               "checkpoint") ? "" : "not seen";
      if (!well) return "not written";
      write();
      try {
        writer.copy_files();
      } catch (const files::image_error& error) {
        return has(error.what(), "it was written to during the checkpoint") ? "" : error.what();
      }
      return "not seen in the copy";
    }) == "");
  }
}

TEST_CASE("the build id of a file is the same by its bytes and by its descriptor; what is no program has none") {
  const scene s;
  const int fd = open(s.library.c_str(), O_RDONLY | O_CLOEXEC);
  const std::string id = image::build_id_of(fd, s.library);
  close(fd);
  CHECK(id.size() == 40);
  CHECK(id == image::build_id_of({reinterpret_cast<const unsigned char*>(s.bytes.data()), s.bytes.size()}));
  for (std::size_t bytes = 0; bytes < 4096; bytes += 7)
    image::build_id_of({reinterpret_cast<const unsigned char*>(s.bytes.data()), bytes});
  std::string wild = s.bytes.substr(0, 64);
  for (std::size_t at = 32; at < 64; ++at) wild[at] = '\xff';
  CHECK(image::build_id_of({reinterpret_cast<const unsigned char*>(wild.data()), wild.size()}).empty());
}

namespace {

/// A rank's image in a generation, as the rank's saver writes it.
std::string write_as(const scene& s, std::uint64_t generation, const std::string& file, const std::string& node,
                     image::saved_image* told = nullptr) {
  return in_child([&]() -> std::string {
    map_program(s.library);
    image::saving how;
    how.how = image::parse_packing("none");
    image::image_saver saver(how);
    image::image_plan plan;
    const fs::path directory = s.directory.path() / ("gen-00000" + std::to_string(generation));
    fs::create_directory(directory);
    fs::permissions(directory, fs::perms::owner_all);
    plan.path = directory / file;
    plan.regions = image::upper_regions(0, 0);
    plan.node = node;
    const image::saved_image saved = saver.write(std::move(plan), generation);
    if (told != nullptr) *told = saved;
    if (saved.written.stored_bytes > 20 * wm::page) return "the text is stored in the image";
    return has(saved.mode, "files once per node") ? "" : saved.mode;
  });
}

std::vector<fs::path> copies_in(const fs::path& directory) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().filename().string().starts_with("file-")) found.push_back(entry.path());
  return found;
}

std::string restored_image(const scene& s, const fs::path& path) {
  return in_child([&]() -> std::string {
    image::rank_image own(path);
    own.check_sources();
    own.restore_memory();
    return difference(s.bytes);
  });
}

}  // namespace

TEST_CASE("the ranks of a node share one copy of a file in each generation, which a restart needs alone") {
  const scene s;
  REQUIRE(write_as(s, 1, "rank-00000.mana", "a") == "");
  REQUIRE(write_as(s, 1, "rank-00001.mana", "a") == "");
  const fs::path directory = s.directory.path() / "gen-000001";
  REQUIRE(copies_in(directory).size() == 1);
  const std::string copy = read_bytes(copies_in(directory)[0]);
  CHECK(copy == s.bytes.substr(0, copy.size()));
  CHECK(copy.size() < s.bytes.size() - 2 * wm::page);          // without what debuggers read
  struct stat about{};
  REQUIRE(stat(copies_in(directory)[0].c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0600);
  fs::remove(s.library);
  CHECK(restored_image(s, directory / "rank-00000.mana") == "");
  CHECK(restored_image(s, directory / "rank-00001.mana") == "");
}

TEST_CASE("another node has a copy of its own, and so has the next generation") {
  const scene s;
  REQUIRE(write_as(s, 1, "rank-00000.mana", "a") == "");
  REQUIRE(write_as(s, 1, "rank-00001.mana", "b") == "");
  REQUIRE(write_as(s, 2, "rank-00000.mana", "a") == "");
  CHECK(copies_in(s.directory.path() / "gen-000001").size() == 2);
  CHECK(copies_in(s.directory.path() / "gen-000002").size() == 1);
}

TEST_CASE("ranks that find another file under the same path do not share its copy") {
  const scene s;
  REQUIRE(write_as(s, 1, "rank-00000.mana", "a") == "");
  std::string other = s.bytes;
  for (std::size_t p = 100; p < text_pages; ++p) other[p * wm::page + 1] ^= 1;
  fs::remove(s.library);
  std::ofstream(s.library, std::ios::binary) << other;
  REQUIRE(write_as(s, 1, "rank-00001.mana", "a") == "");
  const fs::path directory = s.directory.path() / "gen-000001";
  CHECK(copies_in(directory).size() == 2);
  CHECK(restored_image(s, directory / "rank-00000.mana") == "");
  CHECK(in_child([&]() -> std::string {
    image::rank_image own(directory / "rank-00001.mana");
    own.restore_memory();
    return difference(other);
  }) == "");
}

TEST_CASE("a copy that is missing, damaged, another file's or a link is found before or while memory is read") {
  const scene s;
  REQUIRE(write_as(s, 1, "rank-00000.mana", "a") == "");
  const fs::path image = s.directory.path() / "gen-000001" / "rank-00000.mana", copy = copies_in(image.parent_path())[0];
  std::string other = s.bytes;
  other[150 * wm::page] ^= 1;
  std::ofstream(copy, std::ios::binary | std::ios::trunc) << other;
  CHECK(has(restored_image(s, image), "a chunk's checksum is wrong"));
  std::ofstream(copy, std::ios::binary | std::ios::trunc) << "no library";
  CHECK(has(restored_image(s, image), "it is not the file that"));
  fs::remove(copy);
  CHECK(has(restored_image(s, image), copy.filename().string()));
  fs::create_symlink(s.library, copy);
  CHECK(has(restored_image(s, image), "threw: "));
}

TEST_CASE("what changed since a generation with copies refers to them, and says that it builds on it") {
  const scene s;
  CHECK(in_child([&]() -> std::string {
    map_program(s.library);
    image::saving how;
    how.how = image::parse_packing("none");
    how.incremental = true;
    image::image_saver saver(how);
    for (const std::uint64_t generation : {1u, 2u}) {
      const fs::path directory = s.directory.path() / ("gen-00000" + std::to_string(generation));
      fs::create_directory(directory);
      fs::permissions(directory, fs::perms::owner_all);
      image::image_plan plan;
      plan.path = directory / "rank-00000.mana";
      plan.regions = image::upper_regions(0, 0);
      plan.node = "a";
      const auto saved = saver.write(std::move(plan), generation);
      saver.settle(image::kept_image::in_directory);
      if (generation == 2 && saved.builds_on != std::vector<std::uint64_t>{1}) return "it does not say what it builds on";
    }
    return copies_in(s.directory.path() / "gen-000002").empty() ? "" : "there is a copy in the second one";
  }) == "");
  CHECK(restored_image(s, s.directory.path() / "gen-000002" / "rank-00000.mana") == "");
}

TEST_CASE("after restarts of restarts memory is still compared with the files that it came from") {
  const scene s;
  REQUIRE(write_as(s, 1, "rank-00000.mana", "a") == "");
  for (const std::uint64_t generation : {2u, 3u, 4u})
    CHECK(in_child([&]() -> std::string {
      const fs::path before = s.directory.path() / ("gen-00000" + std::to_string(generation - 1)) / "rank-00000.mana",
                     directory = s.directory.path() / ("gen-00000" + std::to_string(generation));
      image::saving how;
      how.how = image::parse_packing("none");
      image::image_saver saver(how);
      image::rank_image own(before);
      own.restore_memory();
      saver.begin_from(own.about(), generation - 1, "rank-00000.mana", own.regions(), "");
      fs::create_directory(directory);
      fs::permissions(directory, fs::perms::owner_all);
      image::image_plan plan;
      plan.path = directory / "rank-00000.mana";
      plan.regions = image::upper_regions(0, 0);
      plan.node = "a";
      const auto saved = saver.write(std::move(plan), generation);
      return saved.written.stored_bytes > 20 * wm::page ? "the text is stored in the image" : "";
    }) == "");
  CHECK(restored_image(s, s.directory.path() / "gen-000004" / "rank-00000.mana") == "");
}

namespace {

/// Free descriptors are used up, but for `left`.
void use_up_descriptors(std::size_t left) {
  const rlimit most{1000, 1000};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &most) == 0);
  std::vector<int> held;
  for (int fd; (fd = dup(STDIN_FILENO)) >= 0;) held.push_back(fd);
  for (std::size_t i = 0; i < left; ++i) close(held[i]);
}

/// As many programs as may be open, all of them in memory.
std::vector<image::file_origin> many_origins(const scene& s) {
  std::vector<image::file_origin> origins;
  for (std::size_t i = 0; i < 150; ++i) {
    const fs::path one = s.directory.path() / ("lib" + std::to_string(i));
    fs::create_hard_link(s.library, one);
    origins.push_back({wm::library + i * wm::page, wm::library + (i + 1) * wm::page, one, i * wm::page});
  }
  return origins;
}

}  // namespace

TEST_CASE("an image can be written with as few free descriptors as without any files to refer to") {
  const scene s;
  const auto write = [&](std::size_t left, bool refers) {
    const std::string path = s.directory.path() / ("few" + std::to_string(left) + (refers ? "r" : ""));
    return in_child([&]() -> std::string {
      map_program(s.library);
      image::image_plan plan = plan_of(path);
      plan.origins.clear();
      if (refers) plan.origins = many_origins(s);
      use_up_descriptors(left);
      image::image_writer writer(std::move(plan));
      if (!writer.write_shared() || !writer.finish()) return writer.failure_text(writer.failure());
      return writer.result().referred_bytes > 0 ? "refers" : "";
    });
  };
  std::size_t referring = 0;
  const std::vector<std::size_t> all{6, 8, 20, 40, 80, 128, 140, 180}, sample{6, 40, 128, 180};
  for (const std::size_t left : is_long_run() ? all : sample) {
    REQUIRE(write(left, false) == "");
    const std::string end = write(left, true);
    CHECK((end == "" || end == "refers"));
    referring += end == "refers" ? 1 : 0;
    for (std::size_t i = 0; i < 150; ++i) fs::remove(s.directory.path() / ("lib" + std::to_string(i)));
  }
  CHECK(referring > 0);
}

namespace {

/// A checkpoint of two ranks that share a copy.
struct shared_scene : scene {
  std::string checkpoints = directory.path() / "c";
  store::generation add() const {
    const store::generation made = store::begin_generation(checkpoints);
    store::manifest m;
    m.ranks = 2;
    for (std::uint32_t rank = 0; rank < m.ranks; ++rank) {
      const auto of_rank = write_rank(made, rank);
      m.files.push_back({rank, store::rank_file_name(rank), of_rank.bytes, of_rank.memory, of_rank.checksum});
      if (of_rank.copies > 0) m.copies.push_back({of_rank.copy, of_rank.copy_bytes, of_rank.copy_checksum});
    }
    store::commit(made, m);
    return {made.path, made.number};
  }

 private:
  struct told {
    std::uint64_t bytes, memory, checksum, copies, copy_bytes, copy_checksum;
    char copy[64];
  };
  told write_rank(const store::generation& made, std::uint32_t rank) const {
    told about{};
    const std::string said = in_child([&]() -> std::string {
      map_program(library);
      image::saving how;
      how.how = image::parse_packing("none");
      image::image_saver saver(how);
      image::image_plan plan;
      plan.path = made.path + "/" + store::rank_file_name(rank);
      plan.rank = rank;
      plan.world_size = 2;
      plan.regions = image::upper_regions(0, 0);
      plan.node = "a";
      const image::saved_image saved = saver.write(std::move(plan), made.number);
      told w{saved.written.file_bytes, saved.written.memory_bytes, saved.written.checksum, saved.copies.size(), 0, 0, {}};
      if (!saved.copies.empty()) {
        w.copy_bytes = saved.copies[0].bytes;
        w.copy_checksum = saved.copies[0].checksum;
        saved.copies[0].name.copy(w.copy, sizeof w.copy - 1);
      }
      return {reinterpret_cast<const char*>(&w), sizeof w};
    });
    REQUIRE(said.size() == sizeof about);
    std::memcpy(&about, said.data(), sizeof about);
    return about;
  }
};

/// out: why the newest is passed over, when each rank has looked at its image; "" if it is not
std::string passed_over(const std::string& checkpoints) {
  store::generation_choice choice(checkpoints);
  const auto candidate = choice.current();
  try {
    for (const store::rank_file& f : candidate.contents.files)
      store::check_file(candidate.which, candidate.contents, f, store::depth::identity);
    return "";
  } catch (const store::store_error& error) {
    CHECK((error.kind() == store::error_kind::damaged || error.kind() == store::error_kind::missing_file));
    return error.what();
  }
}

}  // namespace

TEST_CASE("the manifest names the copies that ranks share: one of another length is seen before anything is restored") {
  const shared_scene s;
  const store::generation g = s.add();
  const store::manifest m = store::read_manifest(g.path);
  REQUIRE(m.copies.size() == 1);
  const fs::path copy = fs::path(g.path) / m.copies[0].name;
  const std::string sound = read_bytes(copy);
  CHECK(m.copies[0].bytes == sound.size());
  CHECK(passed_over(s.checkpoints) == "");
  store::verify(g);
  const auto with = [&](const std::string& bytes) { std::ofstream(copy, std::ios::binary | std::ios::trunc) << bytes; };
  with(sound.substr(0, sound.size() - 1));
  CHECK(has(passed_over(s.checkpoints), copy.string() + ": the copy of a program's file has "));
  with(sound + "x");
  CHECK(has(passed_over(s.checkpoints), " bytes, " + std::to_string(sound.size()) + " were written"));
  std::string other = sound;
  other.back() = static_cast<char>(other.back() ^ 1);
  with(other);
  CHECK_THROWS_WITH_AS(store::verify(g), doctest::Contains(copy.c_str()), store::store_error);
  with(sound);
  store::verify(g);
  fs::remove(copy);
  CHECK(has(passed_over(s.checkpoints), "which ranks share, is missing"));
}

TEST_CASE("without a manifest that names copies, one that ends before what an image has there is seen too") {
  const shared_scene s;
  const store::generation g = s.add();
  std::string text = read_bytes(g.path + "/manifest.json");
  const std::size_t at = text.find("  \"copies\"");
  text.erase(at, text.find("  \"warnings\"") - at);
  std::ofstream(g.path + "/manifest.json") << store::sealed(text.substr(0, text.rfind(",\n  \"checksum\"")) + "\n}\n");
  const fs::path copy = copies_in(g.path)[0];
  CHECK(passed_over(s.checkpoints) == "");
  fs::resize_file(copy, 50 * wm::page);
  CHECK(has(passed_over(s.checkpoints), "it ends before memory that"));
}

TEST_CASE("a file that stands where a copy is to be, and that no rank has made, keeps the checkpoint from existing") {
  const shared_scene s;
  const store::generation g = s.add();
  const std::string name = copies_in(g.path)[0].filename();
  const store::generation next = store::begin_generation(s.checkpoints);
  std::ofstream(next.path + "/" + name) << "no copy";
  fs::permissions(next.path + "/" + name, fs::perms::owner_read | fs::perms::owner_write);
  CHECK_THROWS_WITH_AS(store::commit(next, {}), doctest::Contains("no rank has made this file"), store::store_error);
  CHECK(!store::is_complete(next));
}

namespace {

/// A checkpoint of one rank that refers to the file.
store::generation add_by_reference(const scene& s, const std::string& checkpoints) {
  s.write();
  const store::generation made = store::begin_generation(checkpoints);
  const std::string path = made.path + "/" + store::rank_file_name(0);
  fs::rename(s.image, path);
  const image::rank_image image(path);
  store::manifest m;
  m.ranks = 1;
  m.files = {{0, store::rank_file_name(0), fs::file_size(path), image.about().memory_bytes, image.checksum()}};
  store::commit(made, m);
  return {made.path, made.number};
}

}  // namespace

TEST_CASE("a checkpoint that refers to files is made whole, from where they are; one with copies of its own is whole") {
  const scene s;
  const std::string checkpoints = s.directory.path() / "c";
  add_by_reference(s, checkpoints);
  fs::create_directory(s.directory.path() / "new");
  fs::rename(s.library, s.directory.path() / "new" / "library.so");
  const auto packed = image::parse_packing("none");
  try {
    store::compact(checkpoints, {packed});
    FAIL("the file is not there");
  } catch (const store::store_error& error) {
    CHECK(error.kind() == store::error_kind::program_file);
    CHECK(has(error.what(), s.library.string()));
  }
  files::path_map moved;
  moved.add((s.directory.path() / "library.so").string() + "=" + (s.directory.path() / "new" / "library.so").string());
  const auto done = store::compact(checkpoints, {packed}, {}, moved);
  CHECK(done.by_reference);
  CHECK(done.builds_on.empty());
  REQUIRE(done.to > done.from);
  fs::remove_all(s.directory.path() / "new");
  const std::string whole = store::newest_complete(checkpoints).path + "/" + store::rank_file_name(0);
  CHECK(restored_image(s, whole) == "");
  CHECK(store::compact(checkpoints, {packed}).to == 0);
  const shared_scene shared;
  shared.add();
  CHECK(store::compact(shared.checkpoints, {packed}).to == 0);
}

TEST_CASE("an image is verified but for what is in files of the program's that are not there") {
  const scene s;
  s.write();
  fs::remove(s.library);
  image::rank_image own(s.image);
  CHECK_THROWS_AS(own.verify(), files::image_error);
  std::uint64_t read = 0;
  own.verify([&](std::uint64_t bytes) { read += bytes; }, false);
  CHECK(read == own.about().memory_bytes);
  std::string bytes = read_bytes(s.image);
  bytes[wm::page + 100] ^= 1;
  std::ofstream(s.image, std::ios::binary | std::ios::trunc) << bytes;
  CHECK_THROWS_WITH_AS(image::rank_image(s.image).verify([](std::uint64_t) {}, false), doctest::Contains("checksum"), files::image_error);
}

TEST_CASE("a section that names no files, or memory twice, is refused") {
  const image::file_origin good{0x1000, 0x3000, "/lib", 0x1000};
  image::contents of;
  const auto refused = [&](const std::vector<image::file_origin>& origins, std::size_t cut = 0) {
    auto bytes = image::files_section(origins).bytes;
    bytes.resize(bytes.size() - cut);
    of.sections = {{"files", bytes}};
    try {
      image::origins_of(of, "image");
      return false;
    } catch (const files::image_error& error) {
      return error.kind() == files::error_kind::damaged;
    }
  };
  CHECK(!refused({good, {0x3000, 0x4000, "/other", 0}}));
  CHECK(!refused({}));
  CHECK(refused({good, good}));
  CHECK(refused({{0x1000, 0x1000, "/lib", 0}}));
  CHECK(refused({{0x1001, 0x3000, "/lib", 0}}));
  CHECK(refused({{0x1000, 0x3000, "lib", 0}}));
  CHECK(refused({{0x1000, 0x3000, "/lib", 1}}));
  for (std::size_t cut = 1; cut < image::files_section({good}).bytes.size(); ++cut) CHECK(refused({good}, cut));
}

namespace {

/// A checkpoint of ranks that have all of a library's text, and data of their own.     out: bytes of all files; 0: not written
std::uint64_t bytes_of_ranks(const fs::path& directory, const fs::path& library, std::uint64_t generation, unsigned ranks,
                             const char* how, bool alone) {
  fs::create_directory(directory);
  fs::permissions(directory, fs::perms::owner_all);
  const int fd = open(library.c_str(), O_RDONLY | O_CLOEXEC);
  const std::size_t loaded = image::loaded_bytes_of(fd, library) / wm::page * wm::page;
  for (unsigned rank = 0; rank < ranks; ++rank)
    if (in_child([&]() -> std::string {
          wm::map(wm::library, loaded, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
          wm::make_small();
          image::saving saving;
          saving.how = image::parse_packing(how);
          image::image_saver saver(saving);
          image::image_plan plan;
          plan.path = directory / store::rank_file_name(rank);
          plan.regions = image::upper_regions(0, 0);
          if (!alone) plan.node = "a";
          plan.node_ranks = ranks;
          saver.write(std::move(plan), generation);
          return "";
        }) != "")
      return 0;
  close(fd);
  std::uint64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(directory)) bytes += file.file_size();
  return bytes;
}

}  // namespace

TEST_CASE("what ranks share of a library takes no more bytes than without, however it is packed") {
  const temporary_directory store;
  const fs::path library = c_library();
  std::uint64_t generation = 0;
  for (const char* const how : {"none", "lz4", "zstd:1", "zstd:3"})
    for (const unsigned ranks : {2u, 4u}) {
      const bool is_zstd = *how == 'z', is_in_sample = is_zstd ? ranks == 4 && how == std::string("zstd:1") : ranks == 2;
      if (!is_in_sample && !is_long_run()) continue;
      const auto bytes = [&](bool alone) {
        const fs::path directory = store.path() / image::generation_name(++generation);
        return bytes_of_ranks(directory, library, generation, ranks, how, alone);
      };
      const std::uint64_t apart = bytes(true), shared = bytes(false);
      CAPTURE(how);
      CAPTURE(ranks);
      REQUIRE(apart != 0);
      REQUIRE(shared != 0);
      CHECK(shared <= apart + apart / 100);       // records of the copy's parts, and its last page
      const bool has_copy = !copies_in(store.path() / image::generation_name(generation)).empty();
      CHECK(has_copy == (ranks == 4 || how == std::string("none")));
    }
}

TEST_CASE("a file of which little is in memory is not copied") {
  const auto none = image::parse_packing("none"), lz4 = image::parse_packing("lz4"), zstd = image::parse_packing("zstd");
  CHECK(image::is_worth_a_copy(100, 150, 2, none));
  CHECK(!image::is_worth_a_copy(100, 250, 2, none));
  CHECK(!image::is_worth_a_copy(100, 100, 2, lz4));
  CHECK(image::is_worth_a_copy(100, 100, 3, lz4));
  CHECK(!image::is_worth_a_copy(100, 100, 3, zstd));
  CHECK(image::is_worth_a_copy(100, 100, 4, zstd));
  CHECK(!image::is_worth_a_copy(100, 100, 4, image::parse_packing("zstd:19")));
  CHECK(!image::is_worth_a_copy(100, 100, 2, image::parse_packing("auto")));
}

TEST_CASE("ranks that begin at the same time make one copy, which is whole when all have written") {
  const scene s;
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < 6; ++rank) {
    const pid_t child = fork();
    if (child == 0) _exit(write_as(s, 1, "rank-0000" + std::to_string(rank) + ".mana", "a").empty() ? 0 : 1);
    ranks.push_back(child);
  }
  for (const pid_t rank : ranks) {
    int status = 0;
    waitpid(rank, &status, 0);
    CHECK(status == 0);
  }
  const fs::path directory = s.directory.path() / "gen-000001";
  REQUIRE(copies_in(directory).size() == 1);
  const std::string copy = read_bytes(copies_in(directory)[0]);
  CHECK(copy == s.bytes.substr(0, copy.size()));
  CHECK(copy.size() > text_pages * wm::page);
}

}  // namespace program_files_tests
