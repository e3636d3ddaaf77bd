// A small checkpoint made by the code of jobs, without MPI, so that its system calls can be recorded or fail; and what a
// restart would take out of a directory.
//
//   small_checkpoint write DIR MARK KEEP DONE   two ranks, each a process; when commit() has returned the file DONE is made
//   small_checkpoint judge                      for each directory that stdin names a line: "GENERATION SUM" or "none WHY"
//   small_checkpoint restore DIR                the newest, as two ranks would: "GENERATION", or what is wrong (status 1)
#include "../../unit/image/window_memory.hpp"

#include <generation_choice.hpp>
#include <image_writer.hpp>
#include <manifest.hpp>
#include <rank_image.hpp>
#include <regions.hpp>
#include <store.hpp>

#include <sys/mman.h>
#include <sys/wait.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
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

void write_image(const store::generation& made, std::uint32_t rank, std::uint64_t mark, told& about) {
  wm::map(wm::heap, wm::small);
  wm::fill(wm::heap, wm::small, mark * ranks + rank);
  map_text();
  try {
    image::image_plan plan;
    plan.path = made.path + "/" + store::rank_file_name(rank);
    plan.rank = rank;
    plan.world_size = ranks;
    plan.sections = {{"run", {static_cast<std::uint8_t>(mark)}}};
    plan.regions = image::upper_regions(0, 0);
    plan.needed = image::features_here();
    plan.origins = image::origins_of(plan.regions);
    plan.node = "node";
    plan.generation = made.number;
    image::image_writer writer(std::move(plan));
    if (!writer.write_shared() || !writer.finish())
      throw image::image_error(image::error_kind::io, writer.failure_text(writer.failure()));
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

void write_checkpoint(const std::string& directory, std::uint64_t mark, std::size_t keep, const char* done) {
  const store::generation made = store::begin_generation(directory);
  try {
    told* const all = shared_memory();
    in_processes([&](std::uint32_t rank) { write_image(made, rank, mark, all[rank]); });
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
    store::commit(made, m);
    store::tidy(made, keep);
  } catch (...) {
    store::abandon(made);
    throw;
  }
  std::ofstream{done};
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
  const std::string differs = wm::difference(wm::heap, wm::small, mark * ranks + rank);
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
  if (what == "write" && argc == 6) write_checkpoint(argv[2], number_in(argv[3]), number_in(argv[4]), argv[5]);
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
