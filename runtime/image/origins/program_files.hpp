// The program's memory that is unchanged from files of the program. An image may refer to these files, instead of
// holding it.
#pragma once
#include <runtime/files/descriptor.hpp>
#include <runtime/files/write_meter.hpp>
#include <runtime/image/format/contents.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mana::image {

/// Memory that came from a file. The memory and the file may both have changed since.
struct file_origin {
  std::uintptr_t begin, end;         // addresses, whole pages
  std::string path;
  std::uint64_t offset;              // bytes in the file, whole pages
  std::string build_id = {};         // of the file, for people; empty: not known
};

/// The origins of private mappings of files that still have their names.     in: regions  ascending      out: ascending
std::vector<file_origin> origins_of(const std::vector<region>& regions);
/// The origins of restored memory, from the section "files" of its image; none without that section.
/// in:     path  of the image, for errors
/// errors: image_error (damaged)
std::vector<file_origin> origins_of(const contents& restored, const std::string& path);
/// Adds the files' build ids that can be read. An origin whose file cannot be read stays unchanged.
void note_builds(std::vector<file_origin>& origins);
/// Makes the section "files".
section files_section(const std::vector<file_origin>& origins);
/// The newer origins, and the parts of the earlier ones that no newer one covers.
std::vector<file_origin> origins_with(std::vector<file_origin> newer, const std::vector<file_origin>& before);

/// A copy of one of the program's files, in a generation's directory.
struct made_copy {
  std::string name;                  // without directory
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;        // XXH3-64 over them
};

/// The files that memory came from, held open. Only the constructor allocates or throws.
class program_files {
 public:
  /// Opens programs and libraries that have a build id. A file that cannot be opened is left out. If there are too
  /// many, those with the most memory stay. 64 descriptors stay free: if fewer are free now or later, files are left
  /// out. No two origins overlap.
  /// in: wanted  whether to open the file (path, bytes that a loader maps); empty: open all
  using choice = std::function<bool(const std::string& path, std::uint64_t loaded_bytes)>;
  explicit program_files(std::vector<file_origin> origins, const choice& wanted = {});

  /// The sources that a referring image must name, in the order of their numbers.
  const std::vector<source>& sources() const noexcept { return sources_; }

  static constexpr const char* copy_begins = "file-";       // beginning of the copies' names
  /// The source that names the copy of a file.
  /// in:  file  its number
  ///      node  its ranks share the copy
  /// out: its name differs for files that differed when they were opened, also of one path
  source copy_of(std::size_t file, std::uint64_t generation, const std::string& node) const;
  /// Copies the part of each file that a loader maps, unless another rank has begun the copy. A copy is durable when
  /// the rank that began it has written its image.
  /// in:     most_per_s  bytes per second; 0: no limit     meter  as of output_file
  /// out:    the copies that this rank has made
  /// errors: image_error (io), also if a file was written to since it was opened
  std::vector<made_copy> copy_to(const std::string& directory, const std::string& node, std::uint64_t most_per_s = 0,
                                 const files::write_meter* meter = nullptr) const;

  struct place {
    int file = -1;                   // number among the sources; -1: none
    std::uint64_t offset = 0;
  };
  /// INV-42 an image refers to a page of a file only if memory and file were the same when it was written.
  /// in:  memory  of the window at `begin`, of at most chunk_bytes
  ///      wanted  pages to compare
  /// out: where   a place for each wanted page
  void find(std::uintptr_t begin, std::size_t pages, const bool* wanted, const char* memory, place* where) noexcept;
  /// Whether the files with a find are unmodified since they were opened, as far as their times and lengths tell.
  bool are_as_they_were() const noexcept;

  /// The memory for reading files.
  static constexpr std::size_t buffer_bytes = chunk_bytes;

 private:
  void compare(std::size_t origin, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t window, const bool* wanted,
               const char* memory, place* where) noexcept;

  /// The facts that change when a file is written to or replaced.
  struct stamp {
    std::uint64_t inode = 0, bytes = 0;
    std::int64_t s = 0, ns = 0;      // time of the last write
    bool operator==(const stamp&) const = default;
  };
  static stamp stamp_of(int fd) noexcept;

  std::vector<file_origin> origins_;       // ascending
  std::vector<std::uint32_t> file_of_;     // by origin
  std::vector<files::descriptor> files_;
  std::vector<std::uint64_t> bytes_of_;    // of each file, the bytes that may be referred to
  std::vector<stamp> stamps_;              // of each file, when it was opened
  std::unique_ptr<bool[]> used_;           // by file
  std::vector<source> sources_;
  std::unique_ptr<char[]> bytes_;
};

/// Whether a file has the build id that an image names.     errors: image_error (io)
bool is_of_build(const source& about, int fd, const std::string& path);
/// Opens a file that an image refers to. It must be a regular file, of the build that the image was made with.
/// in:     about  of kind program_file      image  that refers to it      path  where the file is now
/// errors: image_error (file, io), which says what to do
files::descriptor open_program_file(const source& about, const contents& image, const std::string& path);

}  // namespace mana::image
