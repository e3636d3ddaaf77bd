// What of the program's memory a copy of the process holds as it was, whatever happens after the copy was made.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::image {

/// Files of programs and libraries, whose pages a copy shows as long as nobody has written to them.
class shown_files {
 public:
  /// out: false: it is not known whether that file changes
  bool add(const region& r);
  /// For people, with a file that was written to since it was added; nullptr: none was. Neither allocates nor locks, and the text
  /// is there in the copy and in the process.
  const char* find_changed() const noexcept;

 private:
  struct file {
    std::string path, changed;       // what is said if it was
    struct stat about;
  };
  std::vector<file> files_;
};

/// INV-58 an image that a copy of the process writes has the memory of the moment at which it was made. What the copy would not
/// have so is marked (region::is_not_copied), to be written before:
///   what madvise has excepted from copies, or has emptied in them (MADV_DONTFORK, MADV_WIPEONFORK),
///   private mappings of files, of which it shows later contents in pages that the program has not written to; but not
///   those of programs and libraries, which nobody changes while they run.
/// Memory that is shared is not looked at.
/// in:     may_be_advised  false: nothing was ever excepted by madvise. Looking is slow: the kernel walks all page tables
/// out:    files that are not to change until the image is written
/// errors: image_error (io)
shown_files mark_not_copied(std::vector<region>& regions, bool may_be_advised);

}  // namespace mana::image
