// The epochs of a window, as data: what may begin, what may end, which operations are allowed. No live MPI knows them.
// The states and errors are those of MPICH. A fence begins an epoch that counts only when an operation uses it: before
// that, any other epoch may begin instead.
#pragma once
#include <mana/lower/neutral.hpp>

#include <cstdint>

namespace mana::object {

enum class access_epoch : std::uint8_t { none, fence_begun, fence, start, lock, lock_all };
enum class exposure_epoch : std::uint8_t { none, fence_begun, post };

/// State of one target. Bits, because threads may change them for different reasons at once.
namespace target_bit {
inline constexpr std::uint8_t dirty = 1;        // operations were started since the last flush
inline constexpr std::uint8_t started = 2;      // a member of MPI_Win_start's group
inline constexpr std::uint8_t shared = 4;       // locked
inline constexpr std::uint8_t exclusive = 8;    // locked
inline constexpr std::uint8_t unchecked = 16;   // locked with MPI_MODE_NOCHECK: there is no place to leave
inline constexpr std::uint8_t locked = shared | exclusive | unchecked;
}  // namespace target_bit

struct win_epochs {
  access_epoch access = access_epoch::none;
  exposure_epoch exposure = exposure_epoch::none;
  int locks = 0;                       // of single targets, MPI_PROC_NULL included
  bool all_unchecked = false;          // MPI_Win_lock_all with MPI_MODE_NOCHECK
  int writers = 0;                     // exclusive locks that the rank has, or waits for
  int room_places = 0;                 // as a writer in the window's room. More than one only if threads asked at once
};

constexpr bool is_open(access_epoch a) noexcept {
  return a != access_epoch::none && a != access_epoch::fence_begun;
}

// All return a neutral error class. A call that fails changes nothing.

/// in: target  its bits
constexpr int use_epoch(win_epochs& e, std::uint8_t target) noexcept {
  if (e.access == access_epoch::lock_all || e.access == access_epoch::fence) return neutral::success;
  switch (e.access) {
    case access_epoch::fence_begun:
      e.access = access_epoch::fence;
      return neutral::success;
    case access_epoch::start: return (target & target_bit::started) != 0 ? int{neutral::success} : int{neutral::err_rma_sync};
    case access_epoch::lock: return (target & target_bit::locked) != 0 ? int{neutral::success} : int{neutral::err_rma_sync};
    default: break;
  }
  return neutral::err_rma_sync;
}

/// MPI_Win_fence: ends an epoch of a fence.
constexpr int may_fence(const win_epochs& e) noexcept {
  const bool is_free = !is_open(e.access) || e.access == access_epoch::fence;
  return is_free && e.exposure != exposure_epoch::post ? int{neutral::success} : int{neutral::err_rma_sync};
}
/// succeeds: operations may follow
constexpr void begin_fence(win_epochs& e, bool succeeds) noexcept {
  e.access = succeeds ? access_epoch::fence_begun : access_epoch::none;
  e.exposure = succeeds ? exposure_epoch::fence_begun : exposure_epoch::none;
}

constexpr int begin_start(win_epochs& e) noexcept {
  if (is_open(e.access)) return neutral::err_rma_sync;
  e.access = access_epoch::start;
  return neutral::success;
}
constexpr int may_complete(const win_epochs& e) noexcept {
  return e.access == access_epoch::start ? int{neutral::success} : int{neutral::err_rma_sync};
}
constexpr void end_access(win_epochs& e) noexcept { e.access = access_epoch::none; }

constexpr int begin_post(win_epochs& e) noexcept {
  if (e.exposure == exposure_epoch::post) return neutral::err_rma_sync;
  e.exposure = exposure_epoch::post;
  return neutral::success;
}
constexpr int may_wait(const win_epochs& e) noexcept {
  return e.exposure == exposure_epoch::post ? int{neutral::success} : int{neutral::err_rma_sync};
}
constexpr void end_exposure(win_epochs& e) noexcept { e.exposure = exposure_epoch::none; }

/// in: target  its bits; of MPI_PROC_NULL, 0
constexpr int begin_lock(win_epochs& e, std::uint8_t target) noexcept {
  if (is_open(e.access) && e.access != access_epoch::lock) return neutral::err_rma_sync;
  if ((target & target_bit::locked) != 0) return neutral::err_rma_sync;
  e.access = access_epoch::lock;
  ++e.locks;
  return neutral::success;
}
/// is_null: of MPI_PROC_NULL, which has no bits
constexpr int may_unlock(const win_epochs& e, std::uint8_t target, bool is_null) noexcept {
  const bool is_locked = e.access == access_epoch::lock && (is_null || (target & target_bit::locked) != 0);
  return is_locked ? int{neutral::success} : int{neutral::err_rma_sync};
}
constexpr void end_lock(win_epochs& e) noexcept {
  if (--e.locks == 0) e.access = access_epoch::none;
}

constexpr int begin_lock_all(win_epochs& e, bool unchecked) noexcept {
  if (is_open(e.access)) return neutral::err_rma_sync;
  e.access = access_epoch::lock_all;
  e.all_unchecked = unchecked;
  return neutral::success;
}
constexpr int may_unlock_all(const win_epochs& e) noexcept {
  return e.access == access_epoch::lock_all ? int{neutral::success} : int{neutral::err_rma_sync};
}

/// MPI_Win_flush and its relatives belong to locks. target: bits of the one target; of all targets, target_bit::locked
constexpr int may_flush(const win_epochs& e, std::uint8_t target) noexcept {
  if (e.access == access_epoch::lock_all) return neutral::success;
  const bool is_locked = e.access == access_epoch::lock && (target & target_bit::locked) != 0;
  return is_locked ? int{neutral::success} : int{neutral::err_rma_sync};
}

/// An exclusive lock is asked for. out: it needs a place in the room: the rank has none
constexpr bool begin_writing(win_epochs& e) noexcept {
  ++e.writers;
  return e.room_places == 0;
}
/// The last exclusive lock leaves the room. out: places to leave
constexpr int end_writing(win_epochs& e) noexcept {
  if (--e.writers != 0) return 0;
  const int places = e.room_places;
  e.room_places = 0;
  return places;
}

/// Windows end outside all epochs. An epoch of a fence may be left open.
constexpr int may_free(const win_epochs& e) noexcept {
  const bool is_free = !is_open(e.access) || e.access == access_epoch::fence;
  return is_free && e.exposure != exposure_epoch::post ? int{neutral::success} : int{neutral::err_rma_sync};
}

}  // namespace mana::object
