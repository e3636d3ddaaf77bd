// The live windows of a window: one over the program's memory and, if its ranks are on several nodes, one over its lock words.
// Both are in one epoch from their beginning to their end, in which all operations are legal. All functions return neutral error
// classes.
#pragma once
#include <mana/call/library.hpp>
#include <mana/call/narrow_call.hpp>
#include <mana/lower/cross.hpp>
#include <mana/object/win/descriptor.hpp>

#include <mana/gen/lower_slots.hpp>

#include <cstring>
#include <utility>

namespace mana::object {

inline const lower::mpi_slots& live_mpi() noexcept { return *lower::the_bridge().mpi; }

/// MPI_Win_create in the live MPI, and the epoch. Collective over the communicator.
inline int make_live(void* base, std::intptr_t bytes, std::intptr_t unit, real<kind::comm> on,
                     real<kind::win>& made) noexcept {
  const lower::bridge& b = lower::the_bridge();
  const auto none = lower::predefined(neutral::info_null);
  const int rc = call::narrow_call(b.mpi->MPI_Win_create_c, b.mpi->MPI_Win_create, {unit},
                                   [&]<class N>(auto* slot, N) noexcept {
                                     return slot(base, bytes, static_cast<N>(unit), none, on, &made); });
  return rc != neutral::success ? rc : lower::cross([&] { return b.service->win_enter(made); });
}

/// The same for a dynamic window, with the memory that is attached.
inline int make_live_dynamic(win_entry& e) noexcept {
  const lower::bridge& b = lower::the_bridge();
  return lower::cross([&] {
    int rc = b.mpi->MPI_Win_create_dynamic(lower::predefined(neutral::info_null), e.what.on->real, &e.real);
    if (rc == neutral::success) rc = b.service->win_enter(e.real);
    for (const attached_region* r = e.what.attached; r != nullptr && rc == neutral::success; r = r->next)
      rc = b.mpi->MPI_Win_attach(e.real, r->base, r->bytes);
    return rc;
  });
}

/// How far behind the beginning of its live window a member's memory begins, in bytes. Because: MPICH 4.0.2 computes wrong
/// places if a window's base is not a multiple of 16, as that of a program or of another MPI may not be. The live window is
/// no larger than that: with UCX, MPICH also computes wrong places in a window within the memory of a larger one.
constexpr std::int64_t lead_of(const win_segment& part) noexcept { return part.offset % 16; }

/// The displacement in the live window.
inline std::intptr_t live_displacement(const win_entry& e, int target, std::int64_t displacement) noexcept {
  if (!e.what.is_in_bytes) return displacement;
  const win_segment& part = e.what.parts[target];
  return lead_of(part) + displacement * part.unit;
}

/// Collective over the window's communicator.
inline int end_live(real<kind::win>& live) noexcept {
  auto real = std::exchange(live, {});
  if (!real) return neutral::success;
  return lower::cross([&] {
    live_mpi().MPI_Win_unlock_all(real);
    return live_mpi().MPI_Win_free(&real); });
}
inline int end_both(win_entry& e) noexcept {
  const int first = end_live(e.real), second = end_live(e.what.words_below);
  return first != neutral::success ? first : second;
}

// --- completion of operations

inline std::uint8_t bits_of_target(const win_entry& e, int target) noexcept {
  return __atomic_load_n(&e.what.targets[target], __ATOMIC_RELAXED);
}
inline void set_bits(win_entry& e, int target, std::uint8_t bits) noexcept {
  if (call::library().callers == turns::at_once) __atomic_fetch_or(&e.what.targets[target], bits, __ATOMIC_RELAXED);
  else e.what.targets[target] = static_cast<std::uint8_t>(e.what.targets[target] | bits);
}
inline void clear_bits(win_entry& e, int target, std::uint8_t bits) noexcept {
  const auto kept = static_cast<std::uint8_t>(~bits);
  if (call::library().callers == turns::at_once) __atomic_fetch_and(&e.what.targets[target], kept, __ATOMIC_RELAXED);
  else e.what.targets[target] = static_cast<std::uint8_t>(e.what.targets[target] & kept);
}

/// Called when an operation has started: a flush that another thread made before may not have met it.
[[gnu::always_inline]] inline void mark_dirty(win_entry& e, int target) noexcept {
  if ((bits_of_target(e, target) & target_bit::dirty) == 0) set_bits(e, target, target_bit::dirty);
  __atomic_store_n(&e.what.is_dirty, true, __ATOMIC_RELAXED);
}

/// Threads that call at once leave what is dirty so. Else one that flushes would call clean what another is about to
/// start, or has started and is to find complete: the flush is not over yet.
inline bool may_clean() noexcept { return call::library().callers != turns::at_once; }

/// Each dirty target was flushed.
inline void note_clean(win_entry& e) noexcept {
  if (may_clean()) __atomic_store_n(&e.what.is_dirty, false, __ATOMIC_RELAXED);
}

/// All operations on one target are complete, here and there. The live MPI works for peers too.
inline int flush_at(win_entry& e, int target) noexcept {
  if (may_clean()) clear_bits(e, target, target_bit::dirty);
  return lower::cross([&] { return live_mpi().MPI_Win_flush(target, e.real); });
}
/// The same, of which nothing is done if the target is clean. cost: one load then
[[gnu::always_inline]] inline int complete_at(win_entry& e, int target) noexcept {
  return (bits_of_target(e, target) & target_bit::dirty) == 0 ? int{neutral::success} : flush_at(e, target);
}

/// A flush of all targets is about to begin.
inline void note_all_clean(win_entry& e) noexcept {
  if (!may_clean() || !__atomic_load_n(&e.what.is_dirty, __ATOMIC_RELAXED)) return;
  note_clean(e);
  for (int target = 0; target < ranks_of(e).size; ++target) clear_bits(e, target, target_bit::dirty);
}

/// The same on all targets.
inline int flush_all(win_entry& e) noexcept {
  note_all_clean(e);
  return lower::cross([&] { return live_mpi().MPI_Win_flush_all(e.real); });
}
inline int complete_all(win_entry& e) noexcept {
  return __atomic_load_n(&e.what.is_dirty, __ATOMIC_RELAXED) ? flush_all(e) : int{neutral::success};
}

inline int synchronise(const win_entry& e) noexcept {
  return lower::cross([&] { return live_mpi().MPI_Win_sync(e.real); });
}

}  // namespace mana::object
