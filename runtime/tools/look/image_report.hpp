// What `mana inspect` tells of a rank's image.
#pragma once
#include <runtime/tools/memory/memory_kinds.hpp>
#include <runtime/tools/memory/saved_memory.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mana::tools {

/// Memory of one kind, or of one file of that kind. All members but regions are bytes.
struct memory_amount {
  std::uint64_t regions = 0;
  std::uint64_t mapped = 0;
  std::uint64_t kept = 0;            // of it, that chunks give; the rest is zeros, or in a file that is mapped again
  std::uint64_t stored = 0;          // that the chunks take in the image's own file
  std::uint64_t unpacked = 0;        // memory of those chunks
  std::uint64_t elsewhere = 0;       // of kept, that is in other files

  void add(const memory_amount& other) noexcept;
  /// Of what is stored here, memory per stored byte; 0: nothing is
  double ratio() const noexcept;
};

struct memory_group {
  memory_kind kind = memory_kind::anonymous;
  memory_amount all;
  std::vector<std::pair<std::string, memory_amount>> by_name;      // the largest first; names are not empty
};

struct region_line {
  image::region region;
  region_identity what;
  memory_amount amount;
};

struct thread_line {
  saved_thread thread;
  std::string name;                  // as prctl(PR_SET_NAME) gave it; empty: not known
  std::string function;              // of MPI that it is in; empty: none
};

struct source_line {
  std::uint64_t generation = 0;      // 0: a file of the program's
  std::string file;
  std::uint64_t memory_bytes = 0;    // that it gives
};

struct image_report {
  std::string path;
  std::uint32_t rank = 0, world_size = 0, format = 0;
  std::uint64_t file_bytes = 0;
  std::string mpi, mpi_version, program, directory, cpu;      // of the section "run"
  std::vector<std::string> arguments;
  std::string mode;                  // how it was written, in words; empty: the image does not say
  std::vector<std::pair<std::string, std::uint64_t>> packed_by;   // memory bytes by codec
  std::vector<memory_group> memory;  // by kind, in the order of memory_kind; none is empty
  memory_amount total;
  std::vector<region_line> regions;  // ascending by address
  std::vector<thread_line> threads;
  nlohmann::json descriptors;        // of the section: see descriptors/capture.hpp; null: there is none
  std::vector<source_line> builds_on;
  std::vector<std::pair<std::string, std::uint64_t>> sections;    // name, bytes
  nlohmann::json mpi_objects;        // of the section "mpi": counts by name; null: the image does not tell
  std::vector<std::string> problems; // parts that could not be read, and why; and what the manifest says against it
};

/// errors: files::image_error
image_report look_at_image(const std::string& path);

/// in: regions  each of them is a line
std::string as_text(const image_report& report, bool regions);
nlohmann::ordered_json as_json(const image_report& report, bool regions);

}  // namespace mana::tools
