// A small checkpoint made by the code of jobs, without MPI, so that its system calls can be recorded or fail; and what a
// restart would take out of a directory.
//
//   small_checkpoint write DIR MARK KEEP DONE   two ranks, each a process; when commit() has returned the file DONE is made,
//                                               and what is superfluous goes
//   small_checkpoint extend DIR MARK KEEP DONE  the same; the images have what differs from the newest's
//   small_checkpoint compact DIR KEEP DONE      the newest is made whole
//   small_checkpoint judge                      for each directory that stdin names a line: "GENERATION SUM" or "none WHY"
//   small_checkpoint restore DIR                the newest, as two ranks would: "GENERATION", or what is wrong (status 1)
#include "../../unit/image/window_memory.hpp"

#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/format/regions.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>
#include <runtime/store/compaction.hpp>
#include <runtime/store/generation_choice.hpp>
#include <runtime/store/manifest.hpp>
#include <runtime/store/store.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <stdexcept>

namespace {

using namespace mana;
namespace wm = window_memory;

constexpr std::uint32_t ranks = 2;

/// What a rank tells of its image.
struct told {
  char failure[512];
  image::write_result written;
  char copy[64];                     // that the rank has made; empty: none
  std::uint64_t copy_bytes, copy_checksum;
};

/// Text, of which both ranks' images refer to one copy.
void map_text() {
  const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  wm::map(wm::library, wm::small, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  close(fd);
}

/// Its first half is of the rank, and the same at each checkpoint; the second is of the mark.
constexpr std::size_t half = wm::small / 2;
constexpr std::uintptr_t second_half = wm::heap + half;
std::uint64_t seed_of(std::uint32_t rank) { return 1000 + rank; }
std::uint64_t seed_of(std::uint32_t rank, std::uint64_t mark) { return mark * ranks + rank; }

void make_memory(std::uint32_t rank, std::uint64_t mark) {
  wm::map(wm::heap, wm::small);
  wm::fill(wm::heap, half, seed_of(rank));
  wm::fill(second_half, half, seed_of(rank, mark));
  map_text();
}

image::base_image base_of(const store::generation& g, std::uint32_t rank) {
  const std::string name = store::rank_file_name(rank);
  return image::as_base(image::rank_image(g.path + "/" + name).about(), g.number, name);
}

/// in: base   what the image has changes of; none: it has all
void write_image(const store::generation& made, const std::optional<store::generation>& base, std::uint32_t rank, std::uint64_t mark,
                 told& about) {
  make_memory(rank, mark);
  try {
    std::optional<image::base_image> before;
    image::image_plan plan;
    plan.path = made.path + "/" + store::rank_file_name(rank);
    plan.rank = rank;
    plan.world_size = ranks;
    plan.sections = {{"run", {static_cast<std::uint8_t>(mark)}}};
    plan.regions = image::upper_regions(0, 0);
    plan.needed = image::features_here();
    plan.generation = made.number;
    if (base) {
      plan.base = &before.emplace(base_of(*base, rank));
      plan.unwritten = {{wm::heap, second_half}, {wm::library, wm::library + wm::small}};
    } else {
      plan.origins = image::origins_of(plan.regions);
      plan.node = "node";
    }
    image::image_writer writer(std::move(plan));
    if (!writer.write_shared() || !writer.finish())
      throw files::image_error(files::error_kind::io, writer.failure_text(writer.failure()));
    for (const image::made_copy& made_here : writer.copy_files()) {
      std::snprintf(about.copy, sizeof about.copy, "%s", made_here.name.c_str());
      about.copy_bytes = made_here.bytes;
      about.copy_checksum = made_here.checksum;
    }
    about.written = writer.result();
  } catch (const std::exception& error) {
    std::snprintf(about.failure, sizeof about.failure, "rank %u: %s", rank, error.what());
  }
}

/// Runs body(rank) in a process for each rank, one after another: the order of their calls is the same always.
template <class Body>
void in_processes(Body&& body) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      body(rank);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0)
      throw std::runtime_error("the process of rank " + std::to_string(rank) + " died");
  }
}

/// Memory that the ranks' processes share with this one.
told* shared_memory() {
  void* const at = mmap(nullptr, ranks * sizeof(told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::runtime_error("no memory");
  return static_cast<told*>(at);
}

/// Other generations that the images refer to, ascending.
std::vector<std::uint64_t> builds_on(const store::generation& made) {
  std::set<std::uint64_t> found;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const image::rank_image written(made.path + "/" + store::rank_file_name(rank));
    const auto of_rank = image::builds_on(written.about().sources, made.number);
    found.insert(of_rank.begin(), of_rank.end());
  }
  return {found.begin(), found.end()};
}

void write_checkpoint(const std::string& directory, bool is_extending, std::uint64_t mark, std::size_t keep, const char* done) {
  std::optional<store::generation> base;
  if (is_extending) base = store::newest_complete(directory);
  const store::generation made = store::begin_generation(directory);
  try {
    told* const all = shared_memory();
    in_processes([&](std::uint32_t rank) { write_image(made, base, rank, mark, all[rank]); });
    store::manifest m;
    m.ranks = ranks;
    m.mpi = "MPICH";
    m.program = "program";
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (all[rank].failure[0] != '\0') throw std::runtime_error(all[rank].failure);
      const image::write_result& w = all[rank].written;
      m.files.push_back({rank, store::rank_file_name(rank), w.file_bytes, w.memory_bytes, w.checksum});
      if (all[rank].copy[0] != '\0') m.copies.push_back({all[rank].copy, all[rank].copy_bytes, all[rank].copy_checksum});
    }
    if (base) m.builds_on = builds_on(made);
    store::commit(made, m);
  } catch (...) {
    store::abandon(made);
    throw;
  }
  std::ofstream{done};
  store::tidy(made, keep);
}

void compact_newest(const std::string& directory, std::size_t keep, const char* done) {
  const std::uint64_t made = store::compact(directory).to;
  std::ofstream{done};
  store::tidy({directory + "/" + image::generation_name(made), made}, keep);
}

/// All bytes of all files are compared.
void check_all(const store::generation_choice::candidate& c) {
  for (const store::rank_file& f : c.contents.files) store::check_file(c.which, c.contents, f, store::depth::all_bytes);
}

/// The checksums of all images: what tells a generation's bytes from those of another.
std::uint64_t sum_of(const store::manifest& m) {
  std::uint64_t sum = m.generation;
  for (const store::rank_file& f : m.files) sum = sum * 1099511628211u ^ f.checksum;
  return sum;
}

/// What was passed over had counted as complete: then it must have been whole.
std::string judgement_of(const std::string& directory) {
  try {
    store::generation_choice choice(directory);
    const auto& newest = choice.current();
    if (!choice.refused().empty()) return "none " + choice.explanation();
    check_all(newest);
    return std::to_string(newest.which.number) + " " + std::to_string(sum_of(newest.contents));
  } catch (const std::exception& error) {
    return std::string("none ") + error.what();
  }
}

void judge() {
  for (std::string directory; std::getline(std::cin, directory);) {
    std::string said = judgement_of(directory);
    for (char& c : said)
      if (c == '\n') c = ' ';
    std::cout << said << std::endl;
  }
}

/// Memory as it was at the mark, and writable.
void restore_rank(const store::generation& g, std::uint32_t rank) {
  image::rank_image saved(g.path + "/" + store::rank_file_name(rank));
  const std::uint64_t mark = saved.section("run")[0];
  saved.restore_memory();
  const std::string differs =
      wm::difference(wm::heap, half, seed_of(rank)) + wm::difference(second_half, half, seed_of(rank, mark));
  if (!differs.empty()) throw std::runtime_error("rank " + std::to_string(rank) + ": " + differs);
}

bool restore_all(const store::generation& g, std::string& why) {
  struct text { char words[1024]; };
  void* const at = mmap(nullptr, sizeof(text), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::runtime_error("no memory");
  auto& said = *static_cast<text*>(at);
  in_processes([&](std::uint32_t rank) {
    try {
      restore_rank(g, rank);
    } catch (const std::exception& error) {
      std::snprintf(said.words, sizeof said.words, "rank %u: %s", rank, error.what());
    }
  });
  why = said.words;
  return why.empty();
}

/// As jobs do: what cannot be read is passed over, and said.
void restore(const std::string& directory) {
  store::generation_choice choice(directory);
  for (;;) {
    const auto& candidate = choice.current();
    std::string why;
    if (restore_all(candidate.which, why)) {
      std::printf("%llu\n%s", static_cast<unsigned long long>(candidate.which.number), choice.explanation().c_str());
      return;
    }
    choice.refuse(store::error_kind::unreadable, why);
  }
}

std::uint64_t number_in(const char* text) { return std::strtoull(text, nullptr, 10); }

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const bool is_extending = what == "extend";
  if ((what == "write" || is_extending) && argc == 6)
    write_checkpoint(argv[2], is_extending, number_in(argv[3]), number_in(argv[4]), argv[5]);
  else if (what == "compact" && argc == 5) compact_newest(argv[2], number_in(argv[3]), argv[4]);
  else if (what == "judge" && argc == 2) judge();
  else if (what == "restore" && argc == 3) restore(argv[2]);
  else return 64;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
