// Locks of libc that store a thread id as their owner. Ids are new after a restart. Therefore the locks that are held
// at a checkpoint are found in the restored memory, and get the new ids of the same threads.
//
// INV-30 a thread that holds a lock at the checkpoint holds it after a restart.
//
// Memory that merely looks like a held lock would be overwritten. Therefore everything that glibc keeps in a lock is
// compared, and one word must be an id of the program's threads. A mutex has ten words of four bytes, a read-write lock
// fourteen.
//
// Layouts: struct __pthread_mutex_s and __pthread_rwlock_arch_t of glibc for x86-64, unchanged since 2.3 (2.25 for
// rwlocks) and fixed by its ABI: they lie in the memory of programs.
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

/// Searches memory for held mutexes that check their owner (recursive, error-checking, with priority inheritance) and
/// for read-write locks that are held for writing. All their bytes must be as libc leaves them in such a lock, and one
/// word must be an id of the program's threads. Robust mutexes are in the lists of their owners, and are not searched
/// for.
class lock_finder {
 public:
  /// in: ids  of the program's threads at the checkpoint
  explicit lock_finder(std::vector<std::int32_t> ids);

  /// in: memory  a part of `mapping`, at its address in the program. The mapping's memory before the part is restored,
  ///     the memory behind it may not be yet
  void look(std::span<const std::uint64_t> memory, address_range mapping);

  /// Call it when all memory is restored.
  std::vector<held_lock> finish();

 private:
  struct candidate { std::uintptr_t word; address_range mapping; };
  void try_word(const candidate& c);

  std::vector<std::int32_t> ids_;          // ascending
  std::vector<held_lock> found_;
  std::vector<candidate> later_;           // near the end of the restored memory
};

/// The same at a checkpoint, in memory that its writer has copied. A restart that knows the locks' addresses need not
/// read all memory before the program runs. Only the constructor and build_on() allocate, lock or throw.
class lock_recorder {
 public:
  /// The form in the image: the section "locks" is an array of these.
  struct record {
    std::uint64_t address;             // of the lock
    std::uint32_t kind;                // held_lock::kind
    std::int32_t owner;                // thread id at the checkpoint
  };
  static_assert(sizeof(record) == 16);
  static constexpr std::size_t capacity = 4096;      // locks that threads hold at the same time

  /// in: ids  of the program's threads
  explicit lock_recorder(std::vector<std::int32_t> ids);

  /// in: earlier  locks of the image that unchanged() refers to
  void build_on(std::vector<record> earlier);

  /// in: copy  of the memory at `address`, a part of `mapping`
  void look(std::span<const std::uint64_t> copy, std::uintptr_t address, address_range mapping) noexcept;
  /// The earlier image has the same memory there.
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

/// errors: std::runtime_error if a recorder cannot have made the bytes
std::vector<held_lock> decode_locks(std::span<const std::uint8_t> section);

/// Ignores memory that is no such lock.
void renumber(std::span<const held_lock> locks, std::span<const thread_renumbering> threads) noexcept;

/// A thread that waits for such a mutex may have its own id in a register or in the frame of libc's function, to store
/// it in the mutex later. Gives these the new id.
/// in: interrupted  where the park signal met the thread, or null. Anything except such a wait is ignored
void renumber_waiter(ucontext_t* interrupted, const thread_renumbering& thread) noexcept;

/// The park signal may meet a thread inside libc's functions for such mutexes and for read-write locks. The thread then
/// has its own id in a register, or has stored it in a mutex that is neither free nor held yet. Gives these the new id,
/// and ignores other code.
/// in: id_offset  offset from the thread pointer to the word in which libc keeps the thread's id
void renumber_locker(ucontext_t* interrupted, const thread_renumbering& thread, std::int64_t id_offset) noexcept;

}  // namespace mana::split
