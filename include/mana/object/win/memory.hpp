// Memory that mana makes for windows: of the process alone, or a file of shared memory that the ranks of a node map. Made as
// the program itself could make it, so that checkpoints save it and restarts put it where it was.
#pragma once
#include <mana/object/request/form/collective/lanes.hpp>
#include <mana/object/win/live.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace mana::object {

inline constexpr std::size_t page_bytes = 4096;
constexpr std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

/// out: nullptr if there is no memory
inline void* map_memory(std::size_t bytes) noexcept {
  void* const made = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return made == MAP_FAILED ? nullptr : made;
}
/// Where in its page an address lies.
inline std::size_t lead_in_page(const void* at) noexcept { return reinterpret_cast<std::uintptr_t>(at) % page_bytes; }
/// Memory that begins where `like` does in its page. out: nullptr if there is none
inline void* map_memory(const void* like, std::int64_t bytes) noexcept {
  const std::size_t lead = lead_in_page(like);
  void* const made = map_memory(lead + static_cast<std::size_t>(bytes));
  return made == nullptr ? nullptr : static_cast<std::byte*>(made) + lead;
}
inline void unmap_memory(void* begin, std::size_t bytes) noexcept {
  if (begin != nullptr) munmap(begin, whole_pages(bytes));
}
/// Ends what the second form of map_memory() has made. base: may be null
inline void end_memory(void* base, std::int64_t bytes) noexcept {
  if (base == nullptr) return;
  const std::size_t lead = lead_in_page(base);
  unmap_memory(static_cast<std::byte*>(base) - lead, lead + static_cast<std::size_t>(bytes));
}

/// Whether memory is the host's, as its first and last byte show. Memory of a device may have addresses too, but no image would
/// have it. The kernel copies neither from what is mapped for input and output nor from what is not mapped.
inline bool is_of_host(const void* base, std::int64_t bytes) noexcept {
  if (bytes == 0) return true;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(base));
  std::byte ends[2];
  const iovec here{ends, sizeof ends}, there[] = {{first, 1}, {first + bytes - 1, 1}};
  // Its flags are a long: of an int on the stack, the upper half is arbitrary.
  const long copied = syscall(SYS_process_vm_readv, getpid(), &here, 1ul, there, 2ul, 0ul);
  return copied == sizeof ends || (copied < 0 && errno != EFAULT);         // a container may forbid the call
}

/// The greatest of the members' values, n times. Collective over `on`, which is no intercommunicator: one round is enough.
inline void find_most_within(real<kind::comm> on, int n, std::int64_t* values) noexcept {
  scratch<std::int64_t> own(n);
  std::copy(values, values + n, own.data());
  const int rc = lower::cross([&] {
    return live_mpi().MPI_Allreduce(own.data(), values, n, lower::predefined(neutral::int64), lower::predefined(neutral::max), on); });
  if (rc != neutral::success)
    lower::cross([&] { lower::the_bridge().service->fatal("ranks of a window could not agree on a number"); });
}

/// Whether the members were all successful: the greatest of their neutral error classes. Collective over `on`.
inline int greatest_error(real<kind::comm> on, int error) noexcept {
  std::int64_t most = error;
  find_most_within(on, 1, &most);
  return static_cast<int>(most);
}

/// Tells each member of the others' memory. Collective over the window's communicator. in: offset: of this member's part
inline int gather_parts(win_entry& e, std::int64_t offset) noexcept {
  const win_segment own{e.what.bytes, e.what.wide_unit, offset};
  const auto byte = lower::predefined(neutral::byte);
  return lower::cross([&] {
    return live_mpi().MPI_Allgather(&own, sizeof own, byte, e.what.parts, sizeof own, byte, e.what.on->real); });
}

/// The first page belongs to mana.
inline constexpr std::int64_t first_segment = page_bytes;

/// Where the members' parts lie. in: segments: bytes of all members      out: the whole size
inline std::size_t place_segments(win_segment* segments, int members, bool contiguous) noexcept {
  std::int64_t end = first_segment;
  for (int r = 0; r < members; ++r) {
    segments[r].offset = end;
    end += segments[r].bytes;
    if (!contiguous) end = static_cast<std::int64_t>(whole_pages(static_cast<std::size_t>(end)));
  }
  return whole_pages(static_cast<std::size_t>(end));
}

/// The name of the memory while it is being made. Empty: rank 0 could not make it.
struct memory_name {
  char text[32] = {};
};

/// Uses of the memory. Images have lock words as the process's own memory (INV-126), by the name of their file.
inline constexpr const char *for_window = "window", *for_words = "words";

/// Rank 0's part: a file of this size, with a name of its own. out: its descriptor, or -1
inline int create_shared(std::size_t bytes, const char* kind, memory_name& name) noexcept {
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) return -1;
  std::snprintf(name.text, sizeof name.text, "/mana-%s-%016llx", kind, static_cast<unsigned long long>(random));
  const int made = shm_open(name.text, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  struct statvfs room{};
  if (made >= 0 && fstatvfs(made, &room) == 0 && bytes <= room.f_bavail * room.f_frsize &&
      ftruncate(made, static_cast<off_t>(bytes)) == 0)
    return made;
  if (made >= 0) {
    close(made);
    shm_unlink(name.text);
  }
  name.text[0] = '\0';
  return -1;
}

/// Maps memory that all members of `on` share. Collective over `on`; all members must be on one node.
/// in: memory.bytes; memory.begin: null, or the place of private memory, which is lost
/// out: neutral error class, the same on all. After an error memory.begin is null or private again
inline int make_shared(real<kind::comm> on, bool is_first, const char* kind, shared_memory& memory) noexcept {
  std::byte* const place = memory.begin;
  bool is_mapped = false;
  memory_name name;
  int file = is_first ? create_shared(memory.bytes, kind, name) : -1;
  const auto byte = lower::predefined(neutral::byte);
  int rc = lower::cross([&] { return live_mpi().MPI_Bcast(name.text, sizeof name.text, byte, 0, on); });
  if (rc != neutral::success) name.text[0] = '\0';
  else if (name.text[0] == '\0') rc = neutral::err_no_mem;
  if (!is_first && rc == neutral::success) {
    file = shm_open(name.text, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) rc = neutral::err_rma_shared;              // another node's
  }
  if (rc == neutral::success) {
    void* const begin =
        mmap(place, memory.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (place != nullptr ? MAP_FIXED : 0), file, 0);
    is_mapped = begin != MAP_FAILED;
    if (is_mapped) memory.begin = static_cast<std::byte*>(begin);
    else rc = neutral::err_no_mem;
  }
  if (file >= 0) close(file);
  rc = greatest_error(on, rc);
  if (is_first && name.text[0] != '\0') shm_unlink(name.text);
  if (rc == neutral::success || !is_mapped) return rc;
  if (place != nullptr) {
    mmap(place, memory.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return rc;
  }
  munmap(memory.begin, memory.bytes);
  memory.begin = nullptr;
  return rc;
}

inline void end_shared(shared_memory& memory) noexcept {
  if (memory.begin != nullptr) munmap(memory.begin, memory.bytes);
  memory = {};
}

// --- at a restart

/// INV-121 members of a shared window share its memory after a restart too, or the restart is refused.
/// Because: rank 0 writes a number into the memory's first page, and all others look whether they find it.
/// Collective over `on`. out: false: this rank does not share rank 0's memory
inline bool still_shares(real<kind::comm> on, bool is_first, const shared_memory& memory) noexcept {
  auto* const mark = reinterpret_cast<std::uint64_t*>(memory.begin);
  std::uint64_t number = 0;
  if (is_first) {
    number = __atomic_load_n(mark, __ATOMIC_RELAXED) + 1;      // the copies of an image are equal, so they lack it
    __atomic_store_n(mark, number, __ATOMIC_SEQ_CST);
  }
  const auto byte = lower::predefined(neutral::byte);
  const int rc = lower::cross([&] { return live_mpi().MPI_Bcast(&number, sizeof number, byte, 0, on); });
  return rc == neutral::success && __atomic_load_n(mark, __ATOMIC_SEQ_CST) == number;
}

}  // namespace mana::object
