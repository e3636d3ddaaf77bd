// The upper half's memory as the kernel lists it.
#pragma once
#include <runtime/image/format/file_contents.hpp>

#include <mana/lower/abi.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mana::image {

struct page_range {
  std::uintptr_t begin, end;         // addresses, whole pages
};

struct region {
  std::uintptr_t begin, end;   // addresses, whole pages
  int protection;              // PROT_*
  bool shared;                 // MAP_SHARED
  std::uint64_t offset;        // in the file
  std::string path;            // empty: anonymous
  std::uint64_t device = 0, inode = 0;   // of the file; not in an image
  std::string kernels = {};    // name of the kernel's object that it shows ("anon_inode:[io_uring]"); not in an image
  bool is_file = false;        // it shows a file now, or an image if `path` is empty; not in an image
  bool grows = false;          // downward: the initial thread's stack; not in an image
  bool is_not_copied = false;  // a copy of the process would not hold its contents; not in an image
  std::uint64_t file_bytes = 0;          // length of its file; 0: unknown; not in an image
  std::shared_ptr<const file_contents> contents = {};   // a file's, from `offset` on, not memory; not in an image
};

/// The addresses in an image of contents of files without a name. No memory has these addresses.
inline constexpr std::uintptr_t contents_begin = 0x4000'0000'0000, contents_end = lower::window_end;

/// Whether an image's region is contents of a file, not memory. For people: a restart uses the section "descriptors"
/// instead.
inline bool seems_contents(const region& r) noexcept {
  return r.shared && r.protection == 0 && !r.path.empty() && r.begin >= contents_begin && r.end <= contents_end;
}

/// A shared mapping of a file that still has its name: a restart maps the file again.
inline bool maps_file_again(const region& r) noexcept {
  return r.shared && !r.path.empty() && !r.path.ends_with(" (deleted)");
}

/// The mappings in the window, in the range of MAP_32BIT, and of a fixed program in [fixed_begin, fixed_end) (0, 0:
/// none). Ascending, without the rings of asynchronous I/O, which only the kernel can make.
/// errors: image_error (io) if /proc/self/maps cannot be read
std::vector<region> upper_regions(std::uintptr_t fixed_begin, std::uintptr_t fixed_end);

}  // namespace mana::image
