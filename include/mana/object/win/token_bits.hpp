// Tokens of MPI_Win_post and MPI_Win_complete as bits beside the lock words, for windows of few ranks on one node. The bit of a
// token lies at the home of the rank that gets it, and is that of the rank that sends it. A bit costs less than a message.
//
// INV-129 a bit of a token is set by its sender and cleared by its receiver, in turn.
// Because: a target posts to an origin again only after that origin has completed, so after it has cleared the bit of the
// post. An origin completes again only after the next post, so after the target has cleared the bit of the completion. The
// bits are in memory that images have, and a rank that waits for some can be saved. A restart keeps them, also where MPI's
// atomics work on the words then.
#pragma once
#include <mana/call/wait.hpp>
#include <mana/object/win/words.hpp>

namespace mana::object {

/// The ranks of a window whose tokens can be bits.
inline constexpr int most_ranks_of_bits = rank_bits::words * 64;

/// Both kinds of tokens: the first of their words.
enum class token_bits : std::uint8_t { posted = 4, completed = 6 };

inline lock_word word_of(token_bits kind, int i) noexcept { return static_cast<lock_word>(static_cast<int>(kind) + i); }

/// At the creation: a window keeps its kind of tokens.
inline bool has_token_bits(const win_entry& e) noexcept {
  return e.what.words_are_shared && ranks_of(e).size <= most_ranks_of_bits;
}

inline int send_bit(const win_entry& e, int to, token_bits kind) noexcept {
  rank_bits own;
  own.add(ranks_of(e).own_rank);
  int rc = neutral::success;
  for (int i = 0; i < rank_bits::words; ++i)
    if (own.of[i] != 0 && rc == neutral::success) rc = set_in_word(e, to, word_of(kind, i), own.of[i]);
  return rc;
}

/// Which of these ranks' tokens have not come.      out: neutral error class
inline int find_missing(const win_entry& e, token_bits kind, const rank_bits& from, rank_bits& missing) noexcept {
  int rc = neutral::success;
  for (int i = 0; i < rank_bits::words; ++i) {
    std::int64_t there = 0;
    missing.of[i] = 0;
    if (from.of[i] == 0 || rc != neutral::success) continue;
    rc = read_word(e, ranks_of(e).own_rank, word_of(kind, i), there);
    missing.of[i] = from.of[i] & ~static_cast<std::uint64_t>(there);
  }
  return rc;
}

/// All of these ranks' tokens have come.
inline int take_bits(const win_entry& e, token_bits kind, const rank_bits& from) noexcept {
  int rc = neutral::success;
  for (int i = 0; i < rank_bits::words && rc == neutral::success; ++i)
    if (from.of[i] != 0) rc = clear_in_word(e, ranks_of(e).own_rank, word_of(kind, i), from.of[i]);
  return rc;
}

/// Tells the clock whose tokens are missing.
inline lower::wait_end announce_missing(const win_entry& e, const rank_bits& missing) noexcept {
  int ranks[most_ranks_of_bits], found = 0;
  for (int r = 0; r < ranks_of(e).size; ++r)
    if (missing.has(r)) ranks[found++] = ranks_of(e).world_ranks[r];
  const lower::services& s = *lower::the_bridge().service;
  return lower::cross([&] { return s.clock_wait(ranks, found); });
}

/// Waits for tokens, and takes them. May park.      out: neutral error class
inline int await_bits(call::wrapper_scope& scope, const win_entry& e, token_bits kind, const rank_bits& from) noexcept {
  rank_bits missing;
  int rc = neutral::success;
  unsigned fruitless = 0;
  call::wait(scope, [&] {
    rc = find_missing(e, kind, from, missing);
    if (rc != neutral::success || !missing.any()) return call::poll_end::done;
    if (++fruitless % looks_before_yield == 0) give_way(e);
    return call::poll_end::waits;
  }, [&] { return announce_missing(e, missing); });
  return rc == neutral::success ? take_bits(e, kind, from) : rc;
}

/// Looks once, and takes the tokens if all have come.
inline int look_for_bits(const win_entry& e, token_bits kind, const rank_bits& from, bool& all) noexcept {
  rank_bits missing;
  int rc = neutral::success;
  all = call::look([&] {
    rc = find_missing(e, kind, from, missing);
    return rc != neutral::success || !missing.any(); }, [&] { announce_missing(e, missing); });
  if (rc != neutral::success) return rc;
  if (all) return take_bits(e, kind, from);
  make_progress(e);
  return rc;
}

}  // namespace mana::object
