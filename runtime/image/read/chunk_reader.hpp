// The memory that an image's chunk records name, from the image's file and from others.
#pragma once
#include <runtime/image/format/contents.hpp>

#include <runtime/files/path_map.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mana::image {

/// The path of a source's file. in: image_path  …/gen-N/FILE
std::string path_of(const source& s, const std::string& image_path);

class chunk_reader {
 public:
  /// Opens the files of sources when they are needed.
  /// in: fd     of the image's own file; the caller keeps and closes it
  ///     roots  further directories of checkpoints, for generations that are missing or changed in the image's own
  ///     moved  new paths of files of the program
  chunk_reader(const contents& image, int fd, const std::string& path, std::vector<std::string> roots = {},
               const files::path_map& moved = {});
  ~chunk_reader();
  chunk_reader(const chunk_reader&) = delete;
  chunk_reader& operator=(const chunk_reader&) = delete;

  /// Reads the record's memory to `place`, and compares the checksum of the whole chunk.
  /// errors: image_error (missing, damaged, io), which names the file
  void read(const chunk_record& r, char* place);

  /// Checks the files of sources that hold chunks: each exists, is the one that the image was made with, and is long
  /// enough. Opens one descriptor at a time.
  /// in:     of_program  true: the program's own files; false: those of checkpoints
  /// errors: image_error (missing, damaged, not_own, file, io)
  void check_sources(bool of_program);

  /// Compares the checksum of a record's memory that is at `place` already, as it is in the file.
  /// errors: image_error (damaged)
  void check(const chunk_record& r, const char* place) const;

  /// Descriptor of the file of a record's source, and its path.     errors: image_error (missing, damaged, io)
  int file_of(std::uint16_t source);
  const std::string& path_of(std::uint16_t source) const { return files_[source].path; }

  /// Checks that the bytes of the image's own file outside chunks are zeros, and fewer than a page in each place.
  /// errors: image_error (damaged, io)
  void check_gaps();

 private:
  struct file {
    std::string path;
    int fd = -1;
  };
  void open_source(std::size_t n);
  void open_source_at(std::size_t n, const std::string& path);
  void fetch(const chunk_record& r, char* into);
  bool is_in_program_file(const chunk_record& r) const noexcept;
  [[noreturn]] void throw_changed(const std::string& path) const;
  [[noreturn]] void throw_wrong(const chunk_record& r) const;
  const char* whole_chunk(const chunk_record& r, char* place);

  const contents& image_;
  std::vector<file> files_;              // by source
  const std::vector<std::string> roots_;
  std::unique_ptr<char[]> stored_, unpacked_;
  std::uint16_t cached_source_ = 0;      // source of unpacked_
  std::uint64_t cached_offset_ = 0;      // 0: unpacked_ is empty
};

}  // namespace mana::image
