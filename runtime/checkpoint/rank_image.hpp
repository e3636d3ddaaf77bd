// A rank's image: written at a checkpoint, restored in a fresh process.
#pragma once
#include "image_error.hpp"
#include "processor.hpp"
#include "regions.hpp"

#include <mana/image/format.hpp>

#include <path_map.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mana::image {

class file_reader;

struct section {
  std::string name;                  // at most 23 bytes
  std::vector<std::uint8_t> bytes;
};

struct write_result {
  std::uint64_t file_bytes;
  std::uint64_t memory_bytes;        // of the regions' pages that the file holds
  std::uint64_t stored_bytes;        // that they take in it
  std::uint64_t checksum;            // of the file's trailer, which covers all before it
};

/// Writes the memory of `regions` and the sections to a new file of mode 0600, and syncs it. What changes
/// in the regions meanwhile is saved as it was before or after. A part of a file is removed on failure.
/// in:     needed  of the processor, to go on
/// errors: image_error (io)
write_result write_rank_image(const std::string& path, std::uint32_t rank, std::uint32_t world_size,
                              std::span<const section> sections, std::span<const region> regions,
                              const processor_features& needed = features_here());

/// Takes part in how memory comes back, and sees what of it the program can write.
struct memory_visitor {
  /// Descriptor, for reading and writing, of the object that a shared mapping without a file's name shows; -1: it is memory
  /// of its own.
  std::function<int(const region&)> object_of = [](const region&) { return -1; };
  /// Id of the System V segment that one shows; -1: it is none, object_of is asked.
  std::function<int(const region&)> segment_of = [](const region&) { return -1; };
  /// When all is mapped, before it is filled.
  std::function<void()> begin = [] {};
  /// While the memory is in the processor's cache. The memory of a region comes in ascending order; what reads as zeros is
  /// not shown.
  std::function<void(std::span<const std::uint64_t> memory, const region& of)> see = [](auto, auto&) {};
  /// When all is there, before it is protected.
  std::function<void()> end = [] {};
};

class rank_image {
 public:
  /// Reads and checks header and tables.
  /// errors: image_error (missing, damaged, version, io)
  explicit rank_image(std::string path);
  ~rank_image();
  rank_image(const rank_image&) = delete;
  rank_image& operator=(const rank_image&) = delete;

  const file_header& header() const noexcept { return header_; }
  const std::vector<region>& regions() const noexcept { return regions_; }
  /// errors: image_error (damaged) if there is none of this name
  std::span<const std::uint8_t> section(const std::string& name) const;

  bool has_section(const std::string& name) const noexcept;

  /// Maps every region at its address, fills it and gives it its protection.
  /// in:     moved  where files are that had another path at the checkpoint
  /// errors: image_error (cpu): nothing was done yet; (file, occupied, damaged, io): what was mapped until then stays,
  ///         the process is of no use any more
  void restore_memory(const memory_visitor& visitor = {}, const paths::path_map& moved = {});
  /// Reads all chunks and compares their checksums, without restoring anything. out: bytes of memory in the file
  /// errors: image_error (damaged, io)
  std::uint64_t verify();
  /// Of the trailer, as write_result has it: tells this image from every other, without reading its memory.
  /// errors: image_error (damaged, io)
  std::uint64_t checksum() const;

 private:
  void check_processor() const;
  void read_header();
  void read_tables();
  std::uintptr_t map_region(const region& r, const memory_visitor& visitor) const;
  void read_chunk(file_reader& in, const chunk_header& h, char* place) const;
  template <class PlaceOf, class Done> std::uint64_t read_chunks(PlaceOf&& place_of, Done&& done);
  [[noreturn]] void damaged(const std::string& what) const;

  std::string path_;
  int fd_ = -1;
  file_header header_{};
  std::vector<image::section> sections_;
  std::vector<region> regions_;
};

}  // namespace mana::image
