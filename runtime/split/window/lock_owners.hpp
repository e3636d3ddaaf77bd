// Locks of libc that know who holds them by a thread id. Ids are new after a restart, so the locks that are held at a
// checkpoint are found in the memory that comes back, and given the new ids of the same threads.
//
// INV-30 who holds a lock at the checkpoint holds it after a restart.
//
// What merely looks like a held lock would be written over. So all that glibc keeps in one is compared, and a word of it must
// be an id of the program's threads: ten words of four bytes of a mutex, fourteen of a read-write lock.
//
// Layouts: struct __pthread_mutex_s and __pthread_rwlock_arch_t of glibc for x86-64, unchanged since 2.3 (2.25 for rwlocks)
// and fixed by its ABI: they lie in the memory of programs.
#pragma once
#include <runtime/split/window/window_map.hpp>

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mana::split {

/// A mutex or a read-write lock that a thread holds.
struct held_lock {
  enum class kind : std::uint8_t { mutex, inheriting_mutex, write_lock };
  std::uintptr_t address;    // of the lock
  kind what;
  std::int32_t owner;        // thread id at the checkpoint
};

struct thread_renumbering {
  std::int32_t before, now;  // thread ids
};

/// Looks through memory for held mutexes that check their owner (recursive, error-checking, with priority inheritance) and
/// read-write locks that are held for writing. All their bytes must be as libc leaves them in such a lock, and one word of
/// them an id of the program's threads. Robust mutexes are in the lists of their owners, and are not looked for.
class lock_finder {
 public:
  /// ids: of the program's threads at the checkpoint
  explicit lock_finder(std::vector<std::int32_t> ids);

  /// memory: a part of `mapping`, at its address in the program. What lies before it in the mapping is there, what lies
  /// behind may not be yet.
  void look(std::span<const std::uint64_t> memory, address_range mapping);

  /// When all memory is there.
  std::vector<held_lock> finish();

 private:
  struct candidate { std::uintptr_t word; address_range mapping; };
  void try_word(const candidate& c);

  std::vector<std::int32_t> ids_;          // ascending
  std::vector<held_lock> found_;
  std::vector<candidate> later_;           // near the end of what was there
};

/// The same at a checkpoint, in memory that its writer has copied: a restart that knows where the locks are need not read all
/// memory before the program runs. Nothing but the constructor and build_on() allocates, locks or throws.
class lock_recorder {
 public:
  /// As an image keeps it: the section "locks" is an array of these.
  struct record {
    std::uint64_t address;             // of the lock
    std::uint32_t kind;                // held_lock::kind
    std::int32_t owner;                // thread id at the checkpoint
  };
  static_assert(sizeof(record) == 16);
  static constexpr std::size_t capacity = 4096;      // locks that threads hold at the same time

  /// ids: of the program's threads
  explicit lock_recorder(std::vector<std::int32_t> ids);

  /// earlier: of the image whose memory unchanged() will speak of
  void build_on(std::vector<record> earlier);

  /// copy: of the memory at `address`, a part of `mapping`
  void look(std::span<const std::uint64_t> copy, std::uintptr_t address, address_range mapping) noexcept;
  /// What is there is what the earlier image has.
  void unchanged(address_range memory) noexcept;

  bool is_complete() const noexcept { return count_ <= capacity; }
  std::span<const record> found() const noexcept { return {found_.data(), std::min(count_, capacity)}; }

 private:
  template <class Read>
  void try_word(std::uintptr_t word, address_range mapping, Read&& read) noexcept;

  std::vector<std::int32_t> ids_;          // ascending
  std::vector<record> earlier_;
  std::vector<record> found_;              // of `capacity`
  std::size_t count_ = 0;                  // more than capacity: some were not kept
};

/// errors: std::runtime_error where the bytes are none of a recorder's
std::vector<held_lock> decode_locks(std::span<const std::uint8_t> section);

/// What is no such lock is left alone.
void renumber(std::span<const held_lock> locks, std::span<const thread_renumbering> threads) noexcept;

/// A thread that waits for such a mutex may have its own id in a register or in the frame of libc's function, to put it into
/// the mutex when it gets it. interrupted: where the park signal met the thread, or null; anything but such a wait is left
/// alone.
void renumber_waiter(ucontext_t* interrupted, const thread_renumbering& thread) noexcept;

/// A thread that the park signal met in the middle of libc's functions for such mutexes and for read-write locks has its own id in
/// a register, or has put it into a mutex that is neither free nor held yet.
/// in: id_offset  of the word where libc keeps the thread's id, from the thread pointer; what is no such code is left alone
void renumber_locker(ucontext_t* interrupted, const thread_renumbering& thread, std::int64_t id_offset) noexcept;

}  // namespace mana::split
