// Tokens of MPI_Win_post and MPI_Win_complete as counts beside the lock words, for windows of few ranks on one node. A count lies
// at the home of the rank that gets the tokens, and is that of one rank that sends them. A store costs less than a message.
//
// INV-129 a count of tokens is changed by its sender alone, and is that of those taken, or one more.
// Because: a target posts to an origin again only after that origin has completed, so after it has taken the post. An origin
// completes again only after the next post, so after the target has taken the completion. Counts only grow, as lock words
// do. They are in memory that images have, and a rank that waits for some can be saved. A restart keeps them, also where MPI's
// atomics work on the words then.
// Checked: tests/model/token_counts.py.
#pragma once
#include <mana/call/wait.hpp>
#include <mana/object/win/words.hpp>

namespace mana::object {

/// At the creation: a window keeps its kind of tokens.
inline bool has_token_counts(const win_entry& e) noexcept {
  return e.what.words_are_shared && has_few_ranks(ranks_of(e).size);
}

/// Tokens that this rank has taken from a sender.
inline std::int64_t& taken_from(const win_entry& e, token kind, int sender) noexcept {
  return e.what.taken[static_cast<int>(kind) * ranks_of(e).size + sender];
}

inline int send_count(const win_entry& e, int to, token kind) noexcept {
  const vid::rank_map& ranks = ranks_of(e);
  return advance_word(e, to, place_of(kind, ranks.own_rank, ranks.size));
}

/// Which tokens have not come.      in, out: missing: of these senders      out: neutral error class
inline int find_missing(const win_entry& e, token kind, rank_bits& missing) noexcept {
  const vid::rank_map& ranks = ranks_of(e);
  int rc = neutral::success;
  const rank_bits wanted = missing;
  wanted.for_each([&](int sender) {
    std::int64_t sent = 0;
    rc = read_word(e, ranks.own_rank, place_of(kind, sender, ranks.size), sent);
    if (sent > taken_from(e, kind, sender)) missing.remove(sender);
    return rc == neutral::success; });
  return rc;
}

/// A token of each of these ranks has come.
inline void take_counts(const win_entry& e, token kind, const rank_bits& from) noexcept {
  from.for_each([&](int sender) { return ++taken_from(e, kind, sender), true; });
}

/// Tells the clock whose tokens are missing.
inline lower::wait_end announce_missing(const win_entry& e, const rank_bits& missing) noexcept {
  int ranks[rank_bits::most_ranks], found = 0;
  missing.for_each([&](int sender) { return ranks[found++] = ranks_of(e).world_ranks[sender], true; });
  const lower::services& s = *lower::the_bridge().service;
  return lower::cross([&] { return s.clock_wait(ranks, found); });
}

/// Waits for tokens, and takes them. May park.      out: neutral error class
inline int await_counts(call::wrapper_scope& scope, const win_entry& e, token kind, const rank_bits& from) noexcept {
  rank_bits missing = from;
  int rc = neutral::success;
  unsigned looks = 0;
  call::wait(scope, [&] {
    rc = find_missing(e, kind, missing);
    if (rc != neutral::success || !missing.any()) return call::poll_end::done;
    give_way(e, ++looks);
    return call::poll_end::waits;
  }, [&] { return announce_missing(e, missing); });
  if (rc == neutral::success) take_counts(e, kind, from);
  return rc;
}

/// Looks once, and takes the tokens if all have come.
inline int look_for_counts(const win_entry& e, token kind, const rank_bits& from, bool& all) noexcept {
  rank_bits missing = from;
  int rc = neutral::success;
  all = call::look([&] {
    rc = find_missing(e, kind, missing);
    return rc != neutral::success || !missing.any(); }, [&] { announce_missing(e, missing); });
  if (rc != neutral::success) return rc;
  if (all) take_counts(e, kind, from);
  else give_turn();
  return rc;
}

}  // namespace mana::object
