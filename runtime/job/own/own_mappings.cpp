// Where the lower half's libraries map memory: not in the window, all of which is the program's and goes into images.
//
// A launcher's process puts data for all ranks into a large hole of its own memory, and tells them the address: PMIx the
// facts of the job, PRRTE hwloc's topology. The hole may lie in our window.
#include <runtime/job/own/own_mappings.hpp>

#include <mana/lower/abi.hpp>

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace {

using mapper = void*(void*, std::size_t, int, int, int, off_t);

mapper* libcs_mmap() noexcept {
  static mapper* const found = reinterpret_cast<mapper*>(dlsym(RTLD_NEXT, "mmap"));
  return found;
}

/// The handler of trapped calls asks for it too, and can look for no symbol there.
[[gnu::constructor]] void find_libcs_mmap() noexcept { libcs_mmap(); }

bool touches_window(const void* at, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  return begin < mana::lower::window_end && begin + bytes > mana::lower::window_begin;
}

}  // namespace

namespace mana::job {

/// PMIx's component for memory that ranks share ends the job if the memory is not at its address; hash needs none.
void keep_window_free() noexcept { setenv("PMIX_MCA_gds", "hash", 1); }

}  // namespace mana::job

#pragma GCC visibility push(default)
extern "C" {

/// An address without MAP_FIXED is a wish. hwloc does without the memory if it is elsewhere, and reads a file.
void* mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  const bool is_wish = at != nullptr && (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == 0;
  return libcs_mmap()(is_wish && touches_window(at, bytes) ? nullptr : at, bytes, protection, flags, fd, offset);
}
void* mmap64(void* at, std::size_t bytes, int protection, int flags, int fd, off64_t offset) noexcept {
  return mmap(at, bytes, protection, flags, fd, offset);
}

}
#pragma GCC visibility pop
