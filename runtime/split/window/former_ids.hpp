// The ids that the program's process and threads had before restarts. The kernel gives new ids, but the program may
// keep an earlier one: from getpid or gettid, or in data of libc that pthread_kill reads. Such a program still names
// its thread by that id. If getpid gives another id, the program concludes that it is a child of fork.
//
// INV-90 in a job of one process, getpid, gettid, getppid and a signal's sender give the id that the program was told
// first. This applies to the program's process and its threads, in that process and in children that have not executed
// another program.
// Because: such programs check whether they are a child of fork. Ranks of one job exchange their ids for signals, locks
// and each other's memory, and to another process only the kernel's ids mean anything.
//
// INV-77 an id that the kernel once gave to the program's process or thread still names it after a restart, in calls
// that take such an id. An exception is an id that another of the program's own has now.
#pragma once
#include <runtime/split/window/lock_owners.hpp>

#include <cstdint>
#include <span>

namespace mana::split {

/// Part of the image. Zeros: none.
struct former_ids {
  struct entry { std::int32_t before, now; };
  static constexpr std::uint32_t capacity = 1024;      // a full list keeps the first and last of each thread
  std::int32_t process;                 // id of the process at the checkpoint
  std::uint32_t count;
  entry of[capacity];                   // ascending in age: the last is the newest
};

/// At a restart: threads had the ids `before` at the checkpoint, and have `now`. Removes ids of threads that had ended
/// before the checkpoint.
void renumber(former_ids& ids, std::span<const thread_renumbering> threads) noexcept;

/// The present id according to the newest entry for `id`; `id` itself if it has no entry.
std::int32_t named_by(const former_ids& ids, std::int32_t id) noexcept;

/// The id that the program was told first for the kernel's `id` (INV-90); `id` itself if there is no other. The stub
/// uses it too: no libc.
inline std::int32_t told_id(const former_ids& ids, std::int32_t id) noexcept {
  for (std::uint32_t i = 0; i < ids.count; ++i)
    if (ids.of[i].now == id) return ids.of[i].before;
  return id;
}

/// The same for ids of processes: the id of any other process stays.
inline std::int32_t told_process(const former_ids& ids, std::int32_t id) noexcept {
  return id == ids.process ? told_id(ids, id) : id;
}

/// The kernel's id for the program's `id`. Makes system calls only for earlier ids.
std::int32_t current_id(std::int32_t id) noexcept;

/// For a process that restarts, before its image is read: whether the job has one process (INV-90).
void tell_first_ids(bool is_alone) noexcept;
bool tells_first_ids() noexcept;

}  // namespace mana::split
