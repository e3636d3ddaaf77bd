// The report of `mana inspect` on a rank's image.
#pragma once
#include <runtime/tools/memory/memory_kinds.hpp>
#include <runtime/tools/memory/saved_memory.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mana::tools {

/// Memory of one kind, or of one file of that kind. All members except regions are bytes.
struct memory_amount {
  std::uint64_t regions = 0;
  std::uint64_t mapped = 0;
  std::uint64_t kept = 0;            // in chunks; the rest is zeros, or in a file that a restart maps again
  std::uint64_t stored = 0;          // bytes of the chunks in the image's own file
  std::uint64_t unpacked = 0;        // unpacked size of those chunks
  std::uint64_t elsewhere = 0;       // the part of `kept` in other files

  void add(const memory_amount& other) noexcept;
  /// Bytes of memory per byte stored here; 0: none is stored here.
  double ratio() const noexcept;
};

struct memory_group {
  memory_kind kind = memory_kind::anonymous;
  memory_amount all;
  std::vector<std::pair<std::string, memory_amount>> by_name;      // the largest first; no name is empty
};

struct region_line {
  image::region region;
  region_identity what;
  memory_amount amount;
};

struct thread_line {
  saved_thread thread;
  std::string name;                  // as prctl(PR_SET_NAME) set it; empty: not known
  std::string function;              // the MPI function that it is in; empty: none
};

struct source_line {
  std::uint64_t generation = 0;      // 0: a file of the program
  std::string file;
  std::uint64_t memory_bytes = 0;    // memory that it provides
};

struct image_report {
  std::string path;
  std::uint32_t rank = 0, world_size = 0, format = 0;
  std::uint64_t file_bytes = 0;
  std::string mpi, mpi_version, program, directory, cpu;      // from the section "run"
  std::vector<std::string> arguments;
  std::string mode;                  // how it was written, in words; empty: the image does not say
  std::vector<std::pair<std::string, std::uint64_t>> packed_by;   // memory bytes by codec
  std::vector<memory_group> memory;  // by kind, in the order of memory_kind; without empty kinds
  memory_amount total;
  std::vector<region_line> regions;  // ascending by address
  std::vector<thread_line> threads;
  nlohmann::json descriptors;        // from the section: see descriptors/capture.hpp; null: the image has none
  std::vector<source_line> builds_on;
  std::vector<std::pair<std::string, std::uint64_t>> sections;    // name, bytes
  nlohmann::json mpi_objects;        // from the section "mpi": counts by name; null: the image has none
  nlohmann::json needs;              // the section "needs", of a live MPI; null: the image has none
  std::vector<std::string> problems; // unreadable parts with the reason; contradictions to the manifest
};

/// errors: files::image_error
image_report look_at_image(const std::string& path);

/// in: regions  print a line for each region
std::string as_text(const image_report& report, bool regions);
nlohmann::ordered_json as_json(const image_report& report, bool regions);

}  // namespace mana::tools
