// Ids that the program's process and its threads had before restarts. The kernel gives new ones; a program that asked for one before
// the checkpoint (getpid, gettid, what libc's pthread_kill reads before it sends) still names its thread by it.
//
// INV-77 an id that the kernel gave the program's process, or a thread of it, names the same one after a restart, in calls
// that name a thread or process, unless another of the program's own has that id now.
#pragma once
#include "lock_owners.hpp"

#include <cstdint>
#include <span>

namespace mana::split {

/// In the image. Zeros: none.
struct former_ids {
  struct entry { std::int32_t before, now; };
  static constexpr std::uint32_t capacity = 1024;      // the oldest make room
  std::int32_t process;                 // id of the process at the checkpoint
  std::uint32_t count;
  entry of[capacity];                   // ascending in age: the last is the newest
};

/// A restart: `before` was each thread's id at the checkpoint, `now` it is. Those of threads that had ended before the checkpoint go.
void renumber(former_ids& ids, std::span<const thread_renumbering> threads) noexcept;

/// What the newest entry says of an id; the id itself where none does.
std::int32_t named_by(const former_ids& ids, std::int32_t id) noexcept;

/// The id by which the kernel knows what the program names by `id`. Makes system calls only for ids of before.
std::int32_t current_id(std::int32_t id) noexcept;

}  // namespace mana::split
