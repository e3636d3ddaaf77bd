// The parts of the program's memory that a copy of the process keeps unchanged, whatever happens after the copy.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::image {

/// Files of programs and libraries. A copy shows their pages as long as nobody writes to these files.
class shown_files {
 public:
  /// out: false: nobody can tell whether the file changes
  bool add(const region& r);
  /// A text for people, with a file that was written to since it was added; nullptr: none was. Neither allocates nor
  /// locks. The text exists both in the copy and in the process.
  const char* find_changed() const noexcept;

 private:
  struct file {
    std::string path, changed;       // the text if it was
    struct stat about;
  };
  std::vector<file> files_;
};

/// INV-58 an image that a copy of the process writes has the memory of the moment of the copy. Marks memory that the
/// copy would not keep (region::is_not_copied), so that it is written before:
/// - memory that madvise has excluded from copies, or has emptied in them (MADV_DONTFORK, MADV_WIPEONFORK)
/// - private mappings of files: pages that the program has not written to show the file's later contents. Programs and
///   libraries are left out, since nobody changes them while they run.
///
/// Ignores shared memory.
/// in:     may_be_advised  false: the program never excluded memory by madvise. The search is slow: the kernel walks
///         all page tables
/// out:    files that must not change until the image is written
/// errors: image_error (io)
shown_files mark_not_copied(std::vector<region>& regions, bool may_be_advised);

}  // namespace mana::image
