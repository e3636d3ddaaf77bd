// Writes a rank's images, one checkpoint after another, as the user wants: whole or incremental, while the program
// waits or in a process of its own.
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
  bool incremental = false;          // only the changes since the earlier image
  unsigned full_every = 10;          // of this number of images at least one is whole
  std::uint64_t most_per_s = 0;      // bytes per second that a rank writes; 0: no limit
  bool by_reference = false;         // memory that is unchanged from files of the program is not written
  int nice = 0;                      // of the process that writes while the program runs
};

struct saved_image {
  write_result written;
  std::vector<std::uint64_t> builds_on;   // generations, ascending
  std::string mode;                  // for people
  std::vector<made_copy> copies;     // of the program's files, made beside the image
};

/// Where an image is that can be the base of the next one.
enum class kept_image { nowhere, on_node, in_directory };

class image_saver {
 public:
  explicit image_saver(const saving& how);
  ~image_saver();
  image_saver(const image_saver&) = delete;
  image_saver& operator=(const image_saver&) = delete;

  /// INV-57 an image that goes to the directory of checkpoints builds on none that is on nodes alone. The saver sets
  /// the members generation, how, most_per_s, base, unwritten, sums and origins of an image_plan, and calls build_on()
  /// of its observer. The program waits.
  /// errors: image_error (io), std::exception; an incomplete file is removed
  saved_image write(image_plan plan, std::uint64_t generation);

  /// failure: why the image was not written, or empty
  using listener = std::function<void(const saved_image& saved, const std::string& failure)>;
  /// Returns when a process of its own holds the memory. If no copy can hold it because devices write to it, returns
  /// when it is written. Calls `done` on a thread of the saver.
  /// errors: std::exception, and nothing is under way
  void write_aside(image_plan plan, std::uint64_t generation, listener done);

  /// Says where the last image is now, and thereby whether the next one may refer to it.
  void settle(kept_image where);

  /// The process has just restored this image, and the program is about to continue.
  /// in: regions   as they are mapped now
  ///     observed  name of the section of the next image's observer
  ///     moved     new paths of files of the program; later images name the new ones
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
    const base_image* base;          // base that it refers to; nullptr: none
    std::string observed;            // name of its observer's section; empty: none
  };
  struct outcome;                    // the report of the writing process

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
  std::mutex lock_;                  // protects the members below
  std::unique_ptr<generation_base> base_, next_;
  kept_image base_is_ = kept_image::nowhere;
};

}  // namespace mana::image
