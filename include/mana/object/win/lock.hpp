// Locks of windows: places in the queues of lock words (docs/design/rma.md). A rank that waits can be saved: its place is
// in the words and in its frame, and the image has both.
#pragma once
#include <mana/call/wait.hpp>
#include <mana/object/request/completion/completion.hpp>
#include <mana/object/win/error.hpp>
#include <mana/object/win/words.hpp>

namespace mana::object {

/// Rank 0 of the window has the words of its room.
inline constexpr int home_of_room = 0;

/// Tells the clock for whom this rank waits. Words have no names, so it needs all other members: those before it in the
/// queue are among them.
inline lower::wait_end announce_lock(const win_entry& e) noexcept {
  const vid::rank_map& ranks = ranks_of(e);
  scratch<int> others(ranks.size);
  int found = 0;
  for (int r = 0; r < ranks.size; ++r)
    if (r != ranks.own_rank) others[found++] = ranks.world_ranks[r];
  const lower::services& s = *lower::the_bridge().service;
  return lower::cross([&] { return s.clock_wait(others.data(), found); });
}

/// Takes a place in a queue, and waits until it is granted. May park.      out: neutral error class
inline int take_place(call::wrapper_scope& scope, const win_entry& e, int home, lock_place place) noexcept {
  std::int64_t before = 0, done = 0;
  int rc = ask_for_place(e, home, place, before, done);
  if (rc != neutral::success || is_granted(place, before, done)) return rc;
  unsigned looks = 0;
  call::wait(scope, [&] {
    rc = read_word(e, home, place_of(word_of_done(place)), done);
    if (rc != neutral::success || is_granted(place, before, done)) return call::poll_end::done;
    give_way(e, ++looks);
    return call::poll_end::waits;
  }, [&] { return announce_lock(e); });
  return rc;
}

/// out: neutral error class
inline int leave_place(const win_entry& e, int home, lock_place place) noexcept {
  std::int64_t before = 0;
  return add_to_word(e, home, place_of(word_of_done(place)), unit_of(place), before);
}

/// The rank has one exclusive lock less, and leaves the room with the last.
inline int leave_room(win_entry& e) noexcept {
  int places = 0, rc = neutral::success;
  with_epochs(e, [&](win_epochs& all) { return places = end_writing(all), 0; });
  for (; places > 0 && rc == neutral::success; --places) rc = leave_place(e, home_of_room, lock_place::room_writer);
  return rc;
}

/// The room comes first: in the other order ranks could wait in a circle. A rank that is in it stays there: behind one
/// of the alls, which waits for the rank's first lock, it would never come to its second.
inline int take_lock(call::wrapper_scope& scope, win_entry& e, int target, bool exclusive) noexcept {
  if (!exclusive) return take_place(scope, e, target, lock_place::reader);
  bool needs_room = false;
  int rc = neutral::success;
  with_epochs(e, [&](win_epochs& all) { return needs_room = begin_writing(all), 0; });
  if (needs_room) rc = take_place(scope, e, home_of_room, lock_place::room_writer);
  if (needs_room && rc == neutral::success) with_epochs(e, [](win_epochs& all) { return ++all.room_places, 0; });
  if (rc == neutral::success) rc = take_place(scope, e, target, lock_place::writer);
  if (rc != neutral::success) leave_room(e);
  return rc;
}
inline int leave_lock(win_entry& e, int target, bool exclusive) noexcept {
  if (!exclusive) return leave_place(e, target, lock_place::reader);
  const int rc = leave_place(e, target, lock_place::writer);
  return rc == neutral::success ? leave_room(e) : rc;
}

}  // namespace mana::object
