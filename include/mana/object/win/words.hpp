// Words of a window: where those of locks, fences and counts of tokens lie, and the operations on them.
//
// If the ranks of the window are on one node, all of them map the words of all in one file without a name. The processor's
// atomics work on these. Otherwise each rank has its own words, in a live window, and MPI's atomics work on those. The values
// are the same. An image has the words as memory of the rank's own (INV-126), and a restart decides again.
//
// INV-128 at any moment all members work on the words in the same way, and each word has one place.
// Because: they decide together, when no operation is under way: at the creation and in the rebuild. A rank brings
// along its own words alone, and nobody operates before all have brought theirs.
#pragma once
#include <mana/arch/arch.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/win/lock_queue.hpp>
#include <mana/object/win/memory.hpp>

#include <sched.h>

#include <algorithm>

namespace mana::object {

// --- places

/// Of a word among those of one rank: in an array of 64-bit words, and the displacement in the live window of words.
enum class word_place : std::int32_t {};

/// A cache line. Ranks that look at a word do not hold up those that change one on another line. MPICH 4.0.2 over UCX needs
/// bases that are multiples of 16.
inline constexpr int words_of_line = 64 / sizeof(std::int64_t);
constexpr int whole_lines(int words) noexcept { return (words + words_of_line - 1) / words_of_line * words_of_line; }

/// Each word of locks has a line.
constexpr word_place place_of(lock_word w) noexcept { return word_place{static_cast<int>(w) * words_of_line}; }

/// Windows of few ranks have words of fences and counts of tokens. With more ranks, the memory of the counts would grow with
/// the square.
constexpr bool has_few_ranks(int members) noexcept { return members <= rank_bits::most_ranks; }

/// Rounds of a fence. Their words lie in a line behind the words of locks.
constexpr word_place place_of_round(int round) noexcept { return word_place{lock_words * words_of_line + round}; }
static_assert(rank_bits::most_ranks <= 1 << words_of_line, "a fence has more rounds than a line has words");

/// Kinds of tokens. Counts of a kind lie behind the words of fences, one for each rank that sends.
enum class token : std::uint8_t { posted, completed };
inline constexpr int kinds_of_tokens = 2;
constexpr word_place place_of(token kind, int sender, int members) noexcept {
  return word_place{(lock_words + 1) * words_of_line + static_cast<int>(kind) * whole_lines(members) + sender};
}

/// Words of one rank.
constexpr int words_of_rank(int members) noexcept {
  const int of_locks = lock_words * words_of_line;
  return has_few_ranks(members) ? of_locks + words_of_line + kinds_of_tokens * whole_lines(members) : of_locks;
}
constexpr std::size_t bytes_of_words(int members) noexcept {
  return static_cast<std::size_t>(members) * static_cast<std::size_t>(words_of_rank(members)) * sizeof(std::int64_t);
}

inline std::int64_t* words_at(const win_entry& e, int home) noexcept {
  return e.what.words + static_cast<std::ptrdiff_t>(home) * e.what.words_of_rank;
}

// --- memory

/// Puts memory that all members map in place of the words, if they can share it. Collective over `on`.
inline bool share_words(win_entry& e) noexcept {
  const vid::rank_map& ranks = ranks_of(e);
  if (ranks.size == 1) return true;
  const auto on = e.what.on->real;
  const int own_words = e.what.words_of_rank;
  std::int64_t* const own_place = words_at(e, ranks.own_rank);
  scratch<std::int64_t> own(own_words);
  std::copy_n(own_place, own_words, own.data());
  shared_memory all;
  all.begin = reinterpret_cast<std::byte*>(e.what.words);
  all.bytes = whole_pages(bytes_of_words(ranks.size));
  const bool shares = make_shared(on, ranks.own_rank == 0, for_words, all) == neutral::success;
  std::copy_n(own.data(), own_words, own_place);
  return shares && greatest_error(on, neutral::success) == neutral::success;      // all have brought their words
}

/// Collective over the window's communicator, at its creation and at a restart.
inline int make_words(win_entry& e) noexcept {
  e.what.words_below = {};                       // of a process that has ended
  e.what.words_are_shared = share_words(e);
  if (e.what.words_are_shared) return neutral::success;
  const auto bytes = e.what.words_of_rank * std::intptr_t{sizeof(std::int64_t)};
  return make_live(words_at(e, ranks_of(e).own_rank), bytes, sizeof(std::int64_t), e.what.on->real, e.what.words_below);
}

// --- operations

inline std::int64_t& word_at(const win_entry& e, int home, word_place place) noexcept {
  return words_at(e, home)[static_cast<int>(place)];
}

/// MPI_Fetch_and_op with MPI_SUM. Runs in the lower half; a flush must follow.
inline int fetch_and_add(const win_entry& e, int home, word_place place, const std::int64_t* amount,
                         std::int64_t* before) noexcept {
  return live_mpi().MPI_Fetch_and_op(amount, before, lower::predefined(neutral::int64), home,
                                     static_cast<std::intptr_t>(place), lower::predefined(neutral::sum), e.what.words_below);
}

/// Adds to a word of rank `home`. out: before: its former value
inline int add_to_word(const win_entry& e, int home, word_place place, std::int64_t amount, std::int64_t& before) noexcept {
  if (e.what.words_are_shared) [[likely]] {
    before = __atomic_fetch_add(&word_at(e, home, place), amount, __ATOMIC_SEQ_CST);
    return neutral::success;
  }
  return lower::cross([&] {
    const int rc = fetch_and_add(e, home, place, &amount, &before);
    return rc == neutral::success ? live_mpi().MPI_Win_flush(home, e.what.words_below) : rc; });
}

/// Adds one to a word that no other rank changes. Stores to the window that come before it are seen before it.
inline int advance_word(const win_entry& e, int home, word_place place) noexcept {
  std::int64_t before = 0;
  if (!e.what.words_are_shared) return add_to_word(e, home, place, 1, before);
  std::int64_t& word = word_at(e, home, place);
  __atomic_store_n(&word, __atomic_load_n(&word, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
  return neutral::success;
}

inline int read_word(const win_entry& e, int home, word_place place, std::int64_t& now) noexcept {
  if (!e.what.words_are_shared) return add_to_word(e, home, place, 0, now);
  now = __atomic_load_n(&word_at(e, home, place), __ATOMIC_SEQ_CST);
  return neutral::success;
}

/// Asks for a place at rank `home`, and reads in the same visit who is done. The second value may be older: see INV-120.
inline int ask_for_place(const win_entry& e, int home, lock_place place, std::int64_t& before, std::int64_t& done) noexcept {
  const std::int64_t unit = unit_of(place), nothing = 0;
  const word_place asked_at = place_of(word_of_asked(place)), done_at = place_of(word_of_done(place));
  if (e.what.words_are_shared) [[likely]] {
    add_to_word(e, home, asked_at, unit, before);
    return read_word(e, home, done_at, done);
  }
  return lower::cross([&] {
    int rc = fetch_and_add(e, home, asked_at, &unit, &before);
    if (rc == neutral::success) rc = fetch_and_add(e, home, done_at, &nothing, &done);
    return rc == neutral::success ? live_mpi().MPI_Win_flush(home, e.what.words_below) : rc; });
}

// --- waits

/// The processor's atomics give the live MPI no turn, and operations of others may need one. No message has the tag, so that
/// each probe looks for messages.
inline void give_turn() noexcept {
  constexpr int tag_of_nothing = 3;
  const lower::services& s = *lower::the_bridge().service;
  int there = 0;
  neutral::status status;
  lower::cross([&] { return s.probe(neutral::any_source, tag_of_nothing, comms().hidden.real, 0, &there, &status); });
}

/// After each look in vain of a rank that waits. A look at a word takes its cache line from the rank that is to change it, so looks
/// keep a distance. That rank may need this one's live MPI: it may put data into this rank's memory.
inline void give_way(const win_entry& e, unsigned looks) noexcept {
  constexpr unsigned looks_before_turn = 4, looks_before_yield = 32;
  if (looks % looks_before_turn != 0) return arch::relax();
  if (e.what.words_are_shared) give_turn();
  if (looks % looks_before_yield == 0) sched_yield();
}

/// At the end of an epoch of locks without operations: a program may end one after the other until a peer's data has come.
/// A flush of operations gives others their turn too.
inline void let_others_in(const win_entry& e) noexcept {
  if (e.what.words_are_shared) give_turn();
}

}  // namespace mana::object
