// Writes a rank's images, one checkpoint after another, the way that the user wants: whole or what changed, while the
// program waits or in a process of its own.
#pragma once
#include <runtime/image/write/image_writer.hpp>

#include <runtime/files/path_map.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace mana::image {

struct saving {
  packing how;
  bool incremental = false;          // what changed since the image before
  unsigned full_every = 10;          // of so many images one is whole, at least
  std::uint64_t most_per_s = 0;      // bytes that a rank writes; 0: no limit
  bool by_reference = false;         // what is as it is in files of the program's is not written
  int nice = 0;                      // of the process that writes while the program runs on
};

struct saved_image {
  write_result written;
  std::vector<std::uint64_t> builds_on;   // generations, ascending
  std::string mode;                  // for people
  std::vector<made_copy> copies;     // of the program's files, that were made beside the image
};

/// Where an image is that the next one may build on.
enum class kept_image { nowhere, on_node, in_directory };

class image_saver {
 public:
  explicit image_saver(const saving& how);
  ~image_saver();
  image_saver(const image_saver&) = delete;
  image_saver& operator=(const image_saver&) = delete;

  /// INV-57 an image that goes to the directory of checkpoints builds on none that is on nodes alone.
  /// In an image_plan the saver itself sets generation, how, most_per_s, base, unwritten, sums and origins, and tells the
  /// observer what it builds on.
  /// The program waits.     errors: image_error (io), std::exception; a part of a file is removed
  saved_image write(image_plan plan, std::uint64_t generation);

  /// failure: why the image was not written, or empty
  using listener = std::function<void(const saved_image& saved, const std::string& failure)>;
  /// Returns when the memory is held by a process of its own, or written because it cannot be: devices write to it. `done` is
  /// called on a thread of the saver's.
  /// errors: std::exception, and nothing is under way
  void write_aside(image_plan plan, std::uint64_t generation, listener done);

  /// What became of the checkpoint that the last image was for: the next one may refer to it, or not.
  void settle(kept_image where);

  /// The memory is that of this image, and will be changed from now on.
  /// in: regions   as they are mapped now
  ///     observed  name of the section of the observer of the next image
  ///     moved     where files of the program's are that had another path in that image: later ones name the new one
  void begin_from(const contents& restored, std::uint64_t generation, const std::string& file,
                  std::span<const region> regions, const std::string& observed, const files::path_map& moved = {});

 private:
  struct generation_base {
    base_image image;
    std::optional<std::vector<std::uint8_t>> observed;     // its observer's section
    unsigned length = 0;             // images from a whole one to this one
  };
  struct written_file {
    std::string path;
    const base_image* base;          // that it refers to; nullptr: none
    std::string observed;            // name of its observer's section; empty: none
  };
  struct outcome;                    // what the process that writes tells

  void prepare(image_plan& plan);
  saved_image look_at(const image_writer& writer, const written_file& about, std::uint64_t generation, page_sums sums);
  std::string mode_of(const image_plan& plan, const char* where) const;
  saved_image write_now(image_plan plan, std::uint64_t generation, const char* where);
  void write_in_thread(image_plan plan, std::uint64_t generation, const listener& done,
                       const std::function<void(std::exception_ptr)>& holds);
  void join();

  const saving how_;
  std::unique_ptr<change_tracker> tracker_;
  std::thread aside_;
  std::vector<file_origin> restored_from_;   // where memory came from at the restart
  std::mutex lock_;                  // of what follows
  std::unique_ptr<generation_base> base_, next_;
  kept_image base_is_ = kept_image::nowhere;
};

}  // namespace mana::image
