// Ids that the program's process and its threads had before restarts. The kernel gives new ones; a program that asked for one before
// the checkpoint (getpid, gettid, what libc's pthread_kill reads before it sends) still names its thread by it, and takes a getpid
// that says otherwise for a sign that it is a child of fork.
//
// INV-90 in a job of one process, getpid, gettid, getppid and who is told of as a signal's sender say of the program's process, and of a
// thread of it, the id that the program was told first, in that process and in its children that have not executed another program.
// Because: such programs look whether they are a child of fork. Ranks of one job give each other their ids, for signals, locks and memory
// of each other, and to another process the kernel's alone mean anything.
//
// INV-77 an id that the kernel gave the program's process, or a thread of it, names the same one after a restart, in calls
// that name a thread or process, unless another of the program's own has that id now.
#pragma once
#include <runtime/split/window/lock_owners.hpp>

#include <cstdint>
#include <span>

namespace mana::split {

/// In the image. Zeros: none.
struct former_ids {
  struct entry { std::int32_t before, now; };
  static constexpr std::uint32_t capacity = 1024;      // those that are neither the first nor the last of a thread make room
  std::int32_t process;                 // id of the process at the checkpoint
  std::uint32_t count;
  entry of[capacity];                   // ascending in age: the last is the newest
};

/// A restart: `before` was each thread's id at the checkpoint, `now` it is. Those of threads that had ended before the checkpoint go.
void renumber(former_ids& ids, std::span<const thread_renumbering> threads) noexcept;

/// What the newest entry says of an id; the id itself where none does.
std::int32_t named_by(const former_ids& ids, std::int32_t id) noexcept;

/// The id that the program was told first of what the kernel knows by `id` (INV-90); the id itself where it had no other. Also for the
/// stub: no libc.
inline std::int32_t told_id(const former_ids& ids, std::int32_t id) noexcept {
  for (std::uint32_t i = 0; i < ids.count; ++i)
    if (ids.of[i].now == id) return ids.of[i].before;
  return id;
}

/// The same for ids of processes alone: an id that is none of the program's own process's stays.
inline std::int32_t told_process(const former_ids& ids, std::int32_t id) noexcept {
  return id == ids.process ? told_id(ids, id) : id;
}

/// The id by which the kernel knows what the program names by `id`. Makes system calls only for ids of before.
std::int32_t current_id(std::int32_t id) noexcept;

/// Of a process that restarts, before its image is read: whether the job is of one process (INV-90).
void tell_first_ids(bool is_alone) noexcept;
bool tells_first_ids() noexcept;

}  // namespace mana::split
