// Lock words of a window: where they lie, and the operations on them.
//
// If the ranks of the window are on one node, all of them map the words of all in one file without a name. The processor's
// atomics work on these. Otherwise each rank has its own words, in a live window, and MPI's atomics work on those. The values
// are the same. An image has the words as memory of the rank's own (INV-126), and a restart decides again.
//
// INV-128 at any moment all members work on the words in the same way, and each word has one place.
// Because: they decide together, when no operation is under way: at the creation and in the rebuild. A rank brings
// along its own words alone, and nobody operates before all have brought theirs.
#pragma once
#include <mana/object/win/memory.hpp>

#include <sched.h>

namespace mana::object {

inline lock_words& own_words(const win_entry& e) noexcept { return e.what.words[ranks_of(e).own_rank]; }
inline std::size_t bytes_of_words(int members) noexcept { return static_cast<std::size_t>(members) * sizeof(lock_words); }

/// Puts memory that all members map in place of the words, if they can share it. Collective over `on`.
inline bool share_words(win_entry& e) noexcept {
  const vid::rank_map& ranks = ranks_of(e);
  if (ranks.size == 1) return true;
  const auto on = e.what.on->real;
  const lock_words own = own_words(e);
  shared_memory all;
  all.begin = reinterpret_cast<std::byte*>(e.what.words);
  all.bytes = whole_pages(bytes_of_words(ranks.size));
  const bool shares = make_shared(on, ranks.own_rank == 0, for_words, all) == neutral::success;
  own_words(e) = own;
  return shares && greatest_error(on, neutral::success) == neutral::success;      // all have brought their words
}

/// Collective over the window's communicator, at its creation and at a restart.
inline int make_words(win_entry& e) noexcept {
  e.what.words_below = {};                       // of a process that has ended
  e.what.words_are_shared = share_words(e);
  if (e.what.words_are_shared) return neutral::success;
  return make_live(own_words(e).words, sizeof(lock_words), sizeof(std::int64_t), e.what.on->real, e.what.words_below);
}

// --- operations

inline std::int64_t& word_at(const win_entry& e, int home, lock_word word) noexcept {
  return e.what.words[home].words[static_cast<std::size_t>(word)];
}

/// MPI_Fetch_and_op with MPI_SUM. Runs in the lower half; a flush must follow.
inline int fetch_and_add(const win_entry& e, int home, lock_word word, const std::int64_t* amount,
                         std::int64_t* before) noexcept {
  return live_mpi().MPI_Fetch_and_op(amount, before, lower::predefined(neutral::int64), home,
                                     static_cast<std::intptr_t>(word), lower::predefined(neutral::sum), e.what.words_below);
}

/// The same with MPI_BOR or MPI_BAND, and the flush.
inline int change_bits(const win_entry& e, int home, lock_word word, neutral::op_code how, std::uint64_t bits) noexcept {
  const auto given = static_cast<std::int64_t>(bits);
  std::int64_t before = 0;
  return lower::cross([&] {
    const int rc = live_mpi().MPI_Fetch_and_op(&given, &before, lower::predefined(neutral::int64), home,
                                               static_cast<std::intptr_t>(word), lower::predefined(how), e.what.words_below);
    return rc == neutral::success ? live_mpi().MPI_Win_flush(home, e.what.words_below) : rc; });
}

/// Adds to a word of rank `home`. out: before: its former value
inline int add_to_word(const win_entry& e, int home, lock_word word, std::int64_t amount, std::int64_t& before) noexcept {
  if (e.what.words_are_shared) [[likely]] {
    before = __atomic_fetch_add(&word_at(e, home, word), amount, __ATOMIC_SEQ_CST);
    return neutral::success;
  }
  return lower::cross([&] {
    const int rc = fetch_and_add(e, home, word, &amount, &before);
    return rc == neutral::success ? live_mpi().MPI_Win_flush(home, e.what.words_below) : rc; });
}

inline int read_word(const win_entry& e, int home, lock_word word, std::int64_t& now) noexcept {
  if (!e.what.words_are_shared) return add_to_word(e, home, word, 0, now);
  now = __atomic_load_n(&word_at(e, home, word), __ATOMIC_SEQ_CST);
  return neutral::success;
}

/// Sets bits of a word.
inline int set_in_word(const win_entry& e, int home, lock_word word, std::uint64_t bits) noexcept {
  if (!e.what.words_are_shared) return change_bits(e, home, word, neutral::bor, bits);
  __atomic_fetch_or(&word_at(e, home, word), static_cast<std::int64_t>(bits), __ATOMIC_SEQ_CST);
  return neutral::success;
}
inline int clear_in_word(const win_entry& e, int home, lock_word word, std::uint64_t bits) noexcept {
  if (!e.what.words_are_shared) return change_bits(e, home, word, neutral::band, ~bits);
  __atomic_fetch_and(&word_at(e, home, word), static_cast<std::int64_t>(~bits), __ATOMIC_SEQ_CST);
  return neutral::success;
}

/// Asks for a place at rank `home`, and reads in the same visit who is done. The second value may be older: see INV-120.
inline int ask_for_place(const win_entry& e, int home, lock_place place, std::int64_t& before, std::int64_t& done) noexcept {
  const std::int64_t unit = unit_of(place), nothing = 0;
  if (e.what.words_are_shared) [[likely]] {
    add_to_word(e, home, word_of_asked(place), unit, before);
    return read_word(e, home, word_of_done(place), done);
  }
  return lower::cross([&] {
    int rc = fetch_and_add(e, home, word_of_asked(place), &unit, &before);
    if (rc == neutral::success) rc = fetch_and_add(e, home, word_of_done(place), &nothing, &done);
    return rc == neutral::success ? live_mpi().MPI_Win_flush(home, e.what.words_below) : rc; });
}

/// The processor's atomics give the live MPI no turn, and operations of others may need one. No token has the tag, so that
/// each probe looks for messages.
inline void make_progress(const win_entry& e) noexcept {
  constexpr int tag_of_nothing = 3;
  const lower::services& s = *lower::the_bridge().service;
  int there = 0;
  neutral::status status;
  lower::cross([&] { return s.probe(neutral::any_source, tag_of_nothing, e.what.on->real, 0, &there, &status); });
}

/// Of a rank that waits: looks, and now and then this.
inline constexpr unsigned looks_before_yield = 16;
inline void give_way(const win_entry& e) noexcept {
  if (e.what.words_are_shared) make_progress(e);
  sched_yield();
}

/// At the end of an epoch of locks: a program may end one after the other until a peer's data has come. Memory that the live
/// MPI shares needs no turn.
inline void let_others_in(const win_entry& e) noexcept {
  if (e.what.words_are_shared && !e.what.is_shown) make_progress(e);
}

}  // namespace mana::object
