// The program's memory that is as it is in files of its own: an image may refer to these, instead of holding it.
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

/// Memory that came from a file. It may have changed since, and so may the file.
struct file_origin {
  std::uintptr_t begin, end;         // addresses, whole pages
  std::string path;
  std::uint64_t offset;              // bytes in the file, whole pages
  std::string build_id = {};         // of the file, for people; empty: not known
};

/// Of private mappings of files that have their names.     in: regions  ascending      out: ascending
std::vector<file_origin> origins_of(const std::vector<region>& regions);
/// Of memory that was restored: as the section "files" of its image has them, or none.
/// errors: image_error (damaged)     in: path  of the image, for errors
std::vector<file_origin> origins_of(const contents& restored, const std::string& path);
/// What can be read of the files' build ids. One that cannot stays as it is.
void note_builds(std::vector<file_origin>& origins);
/// That section.
section files_section(const std::vector<file_origin>& origins);
/// Those before only where no newer one is.
std::vector<file_origin> origins_with(std::vector<file_origin> newer, const std::vector<file_origin>& before);

/// A copy of a file of the program's, in a generation's directory.
struct made_copy {
  std::string name;                  // without directory
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;        // XXH3-64 over them
};

/// Files that memory came from, held open. Only the constructor allocates or throws.
class program_files {
 public:
  /// Of programs and libraries with a build id; of too many, those with the most memory. One that cannot be opened is left
  /// out. 64 descriptors stay free: where there are fewer, or become so, files are left out. No two origins overlap.
  /// in: wanted  (path, bytes of what a loader maps): whether the file is; empty: all are
  using choice = std::function<bool(const std::string& path, std::uint64_t loaded_bytes)>;
  explicit program_files(std::vector<file_origin> origins, const choice& wanted = {});

  /// What an image that refers to them has to name, in the order of their numbers.
  const std::vector<source>& sources() const noexcept { return sources_; }

  static constexpr const char* copy_begins = "file-";       // names of copies
  /// How an image names the copy of a file (its number). Its name tells files apart that were not the same when they were
  /// opened, also of one path.     in: node  whose ranks share it
  source copy_of(std::size_t file, std::uint64_t generation, const std::string& node) const;
  /// Makes the copies, of what a loader maps, each one that no other rank has begun: it is durable when who began it has written its image.
  /// in:     most_per_s  bytes; 0: no limit     meter  as of output_file
  /// out:    those that this rank has made
  /// errors: image_error (io), also if a file was written to since it was opened
  std::vector<made_copy> copy_to(const std::string& directory, const std::string& node, std::uint64_t most_per_s = 0,
                                 const files::write_meter* meter = nullptr) const;

  struct place {
    int file = -1;                   // number among the sources; -1: none
    std::uint64_t offset = 0;
  };
  /// INV-42 an image refers to a page of a file only if memory and file were the same when it was written.
  /// in:  memory  of the window at `begin`, of at most chunk_bytes
  ///      wanted  pages to be compared
  /// out: where     of each of them
  void find(std::uintptr_t begin, std::size_t pages, const bool* wanted, const char* memory, place* where) noexcept;
  /// A file in which something was found was not written to since it was opened, as far as its time and length tell.
  bool are_as_they_were() const noexcept;

  /// Of memory for reading files.
  static constexpr std::size_t buffer_bytes = chunk_bytes;

 private:
  void compare(std::size_t origin, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t window, const bool* wanted,
               const char* memory, place* where) noexcept;

  /// What of a file changes when it is written to, or another one takes its place.
  struct stamp {
    std::uint64_t inode = 0, bytes = 0;
    std::int64_t s = 0, ns = 0;      // when it was written to
    bool operator==(const stamp&) const = default;
  };
  static stamp stamp_of(int fd) noexcept;

  std::vector<file_origin> origins_;       // ascending
  std::vector<std::uint32_t> file_of_;     // by origin
  std::vector<files::descriptor> files_;
  std::vector<std::uint64_t> bytes_of_;    // of each file, that may be referred to
  std::vector<stamp> stamps_;              // of each file, when it was opened
  std::unique_ptr<bool[]> used_;           // by file
  std::vector<source> sources_;
  std::unique_ptr<char[]> bytes_;
};

/// Whether a file has the build id that an image names.     errors: image_error (io)
bool is_of_build(const source& about, int fd, const std::string& path);
/// A file that an image refers to: it is there, a regular file, and of the build that the image was made with.
/// in:     about  of kind program_file      image  that refers to it      path  where it is now
/// errors: image_error (file, io), which says what to do
files::descriptor open_program_file(const source& about, const contents& image, const std::string& path);

}  // namespace mana::image
