// How the ranks of a window meet in a fence. Ranks on one node meet by words beside those of locks. In each round a rank writes the
// number of the fence to a rank further on, and waits for its own word. It is the dissemination barrier of Hensgen, Finkel and
// Manber, International Journal of Parallel Programming 17(1), 1988. Others meet by a barrier of the live MPI.
//
// INV-130 a word of fences is changed by one rank alone, and is at most two ahead of the fences that its owner has left.
// Because: a rank leaves a fence when all have entered it, so the writer may have left the one that the owner is in, and no
// later one. Words only grow, and a rank waits for its number or a greater one. No rank is in a fence at a recovery line, where
// all words of all rounds have one number, which is in all images.
// Checked: tests/model/meeting.py.
#pragma once
#include <mana/object/win/live.hpp>
#include <mana/object/win/token_counts.hpp>

namespace mana::object {

inline bool meets_by_words(const win_entry& e) noexcept { return e.what.words_are_shared && has_few_ranks(ranks_of(e).size); }

/// Whether its hidden communicator needs a live one: for barriers, or for tokens.
inline bool needs_channel(const win_entry& e) noexcept { return !meets_by_words(e) || !e.what.tokens_are_counts; }

/// Makes the live windows by `make`, over the live one of the hidden communicator. While that has none, it stands for the one of the
/// program's communicator, and gets one afterwards if the window needs it. `make` returns a neutral error class, as this does.
///
/// The program's communicator is kept as long as the window (INV-67). Because: MPICH 4.0.2 names a window by the number of its
/// communicator, and how many windows that had before. Two windows over communicators that had one number in turn are mixed up.
template <class Make>
inline int with_channel(win_entry& e, Make&& make) noexcept {
  vid::entry<kind::comm>& on = *e.what.on;
  if (!on.what.has_no_live) return make();
  const auto program = e.what.from->real;
  on.real = program;
  const int rc = make();
  on.real = {};
  on.what.has_no_live = !needs_channel(e);
  if (rc != neutral::success || on.what.has_no_live) return rc;
  return lower::cross([&] { return live_mpi().MPI_Comm_dup(program, &on.real); });
}

/// Waits for all members without parking: the clock has counted the fence, so all come. Stores of a member before it are seen by
/// all after it.
inline void meet_by_words(win_entry& e) noexcept {
  const vid::rank_map& ranks = ranks_of(e);
  const std::int64_t fence = ++e.what.fences;
  unsigned looks = 0;
  for (int round = 0, far = 1; far < ranks.size; ++round, far *= 2) {
    const word_place place = place_of_round(round);
    __atomic_store_n(&word_at(e, (ranks.own_rank + far) % ranks.size, place), fence, __ATOMIC_RELEASE);
    while (__atomic_load_n(&word_at(e, ranks.own_rank, place), __ATOMIC_ACQUIRE) < fence) give_way(e, ++looks);
  }
}

/// Completes this rank's operations, meets the others, and shows what they have written. out: neutral error class. The others are
/// met also after an error, since they wait.
inline int complete_and_meet(win_entry& e) noexcept {
  if (meets_by_words(e)) {
    const int flushed = complete_all(e);
    meet_by_words(e);
    const int shown = e.what.is_shown ? int{neutral::success} : synchronise(e);      // words order shown memory
    return flushed == neutral::success ? shown : flushed;
  }
  const bool is_dirty = __atomic_load_n(&e.what.is_dirty, __ATOMIC_RELAXED);
  note_all_clean(e);
  return lower::cross([&] {
    const int flushed = is_dirty ? live_mpi().MPI_Win_flush_all(e.real) : int{neutral::success};
    const int passed = live_mpi().MPI_Barrier(e.what.on->real);
    const int shown = passed == neutral::success ? live_mpi().MPI_Win_sync(e.real) : passed;
    return flushed == neutral::success ? shown : flushed; });
}

}  // namespace mana::object
