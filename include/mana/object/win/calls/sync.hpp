// Synchronisation of windows: fences; posts and starts; locks; flushes.
#pragma once
#include <mana/object/comm/collective.hpp>
#include <mana/object/group/calls.hpp>
#include <mana/object/win/error.hpp>
#include <mana/object/win/live.hpp>
#include <mana/object/win/lock.hpp>
#include <mana/object/win/meeting.hpp>
#include <mana/object/win/token.hpp>
#include <mana/object/win/token_counts.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace mana::object {

/// out: neutral error class of assertions that the call does not have
constexpr int check_assert(int given, int allowed) noexcept {
  return (given & ~allowed) == 0 ? int{neutral::success} : int{neutral::err_assert};
}

/// A group, as ranks of the window.
class window_ranks {
 public:
  window_ranks(const win_entry& e, MPI_Group group) noexcept : members_(members_of_group(group)), ranks_(members_.size) {
    const vid::rank_map& all = ranks_of(e);
    if (!members_.ok) error_ = neutral::err_group;
    for (int i = 0; i < members_.size && error_ == neutral::success; ++i) {
      const int* const end = all.world_ranks + all.size;
      const int* const found = std::find(all.world_ranks, end, members_.world_ranks[i]);
      if (found == end) error_ = neutral::err_rank;
      ranks_[i] = static_cast<int>(found - all.world_ranks);
    }
  }
  /// Neutral class: it is no group, or has ranks that are none of the window's.
  int error() const noexcept { return error_; }
  int size() const noexcept { return members_.size; }
  int operator[](int i) noexcept { return ranks_[i]; }
  rank_bits bits() noexcept {
    rank_bits all;
    for (int i = 0; i < size(); ++i) all.add(ranks_[i]);
    return all;
  }

 private:
  group_members members_;
  scratch<int> ranks_;
  int error_ = neutral::success;
};

/// INV-123 a fence is one collective of the window's ranks, counted once.
/// Because: operations are complete here and at their targets before the ranks meet. A checkpoint may come before the collective is
/// counted, or after it. Flushes need nothing of the targets except progress: a rank that is parked makes it.
inline int fence(call::wrapper_scope& scope, win_entry& e, int assertions) noexcept {
  constexpr int known = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  int rc = check_assert(assertions, known);
  if (rc == neutral::success) rc = may_fence(e.what.epochs);
  if (rc != neutral::success) return rc;
  vid::entry<kind::comm>& on = *e.what.on;
  const auto how = [] { return waiting{.blocking = true, .waits_for_all = true}; };
  if (!start_collective(scope, *on.what.clock, &on, how)) return neutral::err_unsupported_operation;
  rc = complete_and_meet(e);
  if (rc == neutral::success) begin_fence(e.what.epochs, (assertions & MPI_MODE_NOSUCCEED) == 0);
  return rc;
}

/// Receives of tokens that a call waits for. Memory for their list comes from malloc.
class awaited_tokens {
 public:
  explicit awaited_tokens(int n) noexcept
      : list_(static_cast<request_entry**>(std::calloc(static_cast<std::size_t>(n) + 1, sizeof(request_entry*)))), size_(n) {}
  ~awaited_tokens() {
    if (list_ == nullptr) return;
    end_tokens(size_, list_);
    std::free(list_);
  }
  awaited_tokens(const awaited_tokens&) = delete;
  awaited_tokens& operator=(const awaited_tokens&) = delete;
  bool ok() const noexcept { return list_ != nullptr; }
  request_entry** data() noexcept { return list_; }
  request_entry** give() noexcept { return std::exchange(list_, nullptr); }

 private:
  request_entry** list_;
  int size_;
};

/// Starts a receive of a token from each of these ranks. out: neutral error class
inline int await_tokens(const win_entry& e, window_ranks& from, int tag, awaited_tokens& all) noexcept {
  int error = neutral::success;
  for (int i = 0; i < from.size() && error == neutral::success; ++i) all.data()[i] = await_token(e, from[i], tag, error);
  return error;
}

/// MPI_Win_post with tokens that are counts: nothing is sent but them.
inline int post_counts(win_entry& e, window_ranks& origins, bool is_unchecked) noexcept {
  int rc = begin_post(e.what.epochs);
  if (rc != neutral::success) return rc;
  if (!e.what.is_shown) rc = synchronise(e);      // stores before the post; of shown memory, counts order them
  e.what.origins = origins.bits();
  for (int i = 0; i < origins.size() && rc == neutral::success && !is_unchecked; ++i)
    rc = send_count(e, origins[i], token::posted);
  if (rc != neutral::success) end_exposure(e.what.epochs);
  return rc;
}

inline int post(win_entry& e, MPI_Group group, int assertions) noexcept {
  int rc = check_assert(assertions, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
  if (rc != neutral::success) return rc;
  window_ranks origins(e, group);
  if (origins.error() != neutral::success) return origins.error();
  if (e.what.tokens_are_counts) return post_counts(e, origins, (assertions & MPI_MODE_NOCHECK) != 0);
  awaited_tokens completions(origins.size());
  if (!completions.ok()) return neutral::err_no_mem;
  rc = begin_post(e.what.epochs);
  if (rc != neutral::success) return rc;
  rc = synchronise(e);                            // stores before the post
  if (rc == neutral::success) rc = await_tokens(e, origins, token_tag::completed, completions);
  for (int i = 0; i < origins.size() && rc == neutral::success && (assertions & MPI_MODE_NOCHECK) == 0; ++i)
    rc = send_token(e, origins[i], token_tag::posted);
  if (rc != neutral::success) {
    end_exposure(e.what.epochs);
    return rc;
  }
  e.what.awaited = completions.give();
  e.what.awaited_size = origins.size();
  return neutral::success;
}

/// The exposure epoch ends: all origins have completed.
inline int end_post(win_entry& e) noexcept {
  const int rc = end_tokens(std::exchange(e.what.awaited_size, 0), e.what.awaited);
  std::free(std::exchange(e.what.awaited, nullptr));
  end_exposure(e.what.epochs);
  return rc == neutral::success && !(e.what.tokens_are_counts && e.what.is_shown) ? synchronise(e) : rc;
}

inline int await_posts(call::wrapper_scope& scope, const win_entry& e, window_ranks& targets) noexcept {
  if (e.what.tokens_are_counts) return await_counts(scope, e, token::posted, targets.bits());
  awaited_tokens posts(targets.size());
  if (!posts.ok()) return neutral::err_no_mem;
  const int rc = await_tokens(e, targets, token_tag::posted, posts);
  if (rc == neutral::success) await(scope, targets.size(), posts.data(), targets.size());
  return rc;
}

inline int start(call::wrapper_scope& scope, win_entry& e, MPI_Group group, int assertions) noexcept {
  int rc = check_assert(assertions, MPI_MODE_NOCHECK);
  if (rc != neutral::success) return rc;
  window_ranks targets(e, group);
  if (targets.error() != neutral::success) return targets.error();
  rc = begin_start(e.what.epochs);
  if (rc != neutral::success) return rc;
  if ((assertions & MPI_MODE_NOCHECK) == 0) rc = await_posts(scope, e, targets);
  if (rc != neutral::success) {
    end_access(e.what.epochs);
    return rc;
  }
  for (int i = 0; i < targets.size(); ++i) set_bits(e, targets[i], target_bit::started);
  return neutral::success;
}

inline int complete(win_entry& e) noexcept {
  int rc = may_complete(e.what.epochs);
  if (rc != neutral::success) return rc;
  for (int target = 0; target < ranks_of(e).size; ++target) {
    if ((bits_of_target(e, target) & target_bit::started) == 0) continue;
    clear_bits(e, target, target_bit::started);
    if (rc == neutral::success) rc = complete_at(e, target);
    if (rc == neutral::success)
      rc = e.what.tokens_are_counts ? send_count(e, target, token::completed) : send_token(e, target, token_tag::completed);
  }
  note_clean(e);
  end_access(e.what.epochs);
  return rc;
}

/// MPI_Win_wait.
inline int await_completions(call::wrapper_scope& scope, win_entry& e) noexcept {
  int rc = may_wait(e.what.epochs);
  if (rc != neutral::success) return rc;
  if (e.what.tokens_are_counts) rc = await_counts(scope, e, token::completed, e.what.origins);
  else await(scope, e.what.awaited_size, e.what.awaited, e.what.awaited_size);
  return rc == neutral::success ? end_post(e) : rc;
}
/// MPI_Win_test.
inline int look_for_completions(win_entry& e, int* flag) noexcept {
  int rc = may_wait(e.what.epochs);
  if (rc != neutral::success) return rc;
  bool all = e.what.awaited_size == 0;
  if (e.what.tokens_are_counts) rc = look_for_counts(e, token::completed, e.what.origins, all);
  else all = all || probe_entries(e.what.awaited_size, e.what.awaited) == e.what.awaited_size;
  *flag = all;
  return rc == neutral::success && all ? end_post(e) : rc;
}

// --- locks

inline int lock(call::wrapper_scope& scope, win_entry& e, int type, int target, int assertions) noexcept {
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE) return neutral::err_locktype;
  int rc = check_assert(assertions, MPI_MODE_NOCHECK);
  if (rc == neutral::success) rc = check_target(e, target);
  if (rc != neutral::success) return rc;
  const bool is_null = target == MPI_PROC_NULL, is_exclusive = type == MPI_LOCK_EXCLUSIVE;
  rc = with_epochs(e, [&](win_epochs& all) { return begin_lock(all, is_null ? std::uint8_t{0} : bits_of_target(e, target)); });
  if (rc != neutral::success || is_null) return rc;
  const bool is_unchecked = (assertions & MPI_MODE_NOCHECK) != 0;
  if (!is_unchecked) rc = take_lock(scope, e, target, is_exclusive);
  if (rc != neutral::success) {
    with_epochs(e, [](win_epochs& all) { return end_lock(all), 0; });
    return rc;
  }
  set_bits(e, target, is_unchecked ? target_bit::unchecked : is_exclusive ? target_bit::exclusive : target_bit::shared);
  return neutral::success;
}

inline int unlock(win_entry& e, int target) noexcept {
  int rc = check_target(e, target);
  if (rc != neutral::success) return rc;
  const bool is_null = target == MPI_PROC_NULL;
  const std::uint8_t bits = is_null ? std::uint8_t{0} : bits_of_target(e, target);
  rc = may_unlock(e.what.epochs, bits, is_null);
  if (rc != neutral::success) return rc;
  if (!is_null) {
    const bool had_operations = (bits & target_bit::dirty) != 0;
    rc = complete_at(e, target);
    if (rc == neutral::success && (bits & target_bit::unchecked) == 0)
      rc = leave_lock(e, target, (bits & target_bit::exclusive) != 0);
    clear_bits(e, target, target_bit::locked);
    if (!had_operations) let_others_in(e);
  }
  with_epochs(e, [&e](win_epochs& all) {
    end_lock(all);
    if (all.locks == 0) note_clean(e);            // only locked targets had operations
    return 0;
  });
  return rc;
}

inline int lock_all(call::wrapper_scope& scope, win_entry& e, int assertions) noexcept {
  int rc = check_assert(assertions, MPI_MODE_NOCHECK);
  const bool is_unchecked = (assertions & MPI_MODE_NOCHECK) != 0;
  if (rc == neutral::success) rc = with_epochs(e, [&](win_epochs& all) { return begin_lock_all(all, is_unchecked); });
  if (rc != neutral::success || is_unchecked) return rc;
  rc = take_place(scope, e, home_of_room, lock_place::room_all);
  if (rc != neutral::success) with_epochs(e, [](win_epochs& all) { return end_access(all), 0; });
  return rc;
}
inline int unlock_all(win_entry& e) noexcept {
  int rc = may_unlock_all(e.what.epochs);
  if (rc != neutral::success) return rc;
  const bool had_operations = __atomic_load_n(&e.what.is_dirty, __ATOMIC_RELAXED);
  rc = complete_all(e);
  if (rc == neutral::success && !e.what.epochs.all_unchecked) rc = leave_place(e, home_of_room, lock_place::room_all);
  if (!had_operations) let_others_in(e);
  with_epochs(e, [](win_epochs& all) { return end_access(all), 0; });
  return rc;
}

/// MPI_Win_flush_local and its relative leave the window dirty: the results at the target may be missing.
template <class Fn, class Flush>
[[gnu::always_inline]] inline int flush_one(MPI_Win win, int target, Flush&& flush) noexcept {
  return with_win<Fn>(win, [&](auto&, win_entry& e) __attribute__((always_inline)) {
    int rc = check_target(e, target);
    if (rc != neutral::success || target == MPI_PROC_NULL) return rc;
    rc = may_flush(e.what.epochs, bits_of_target(e, target));
    return rc == neutral::success ? flush(e) : rc;
  });
}
template <class Fn, class Flush>
inline int flush_every(MPI_Win win, Flush&& flush) noexcept {
  return with_win<Fn>(win, [&](auto&, win_entry& e) {
    const int rc = may_flush(e.what.epochs, target_bit::locked);
    return rc == neutral::success ? flush(e) : rc;
  });
}

}  // namespace mana::object

namespace mana::manual {

inline int win_fence(int assertions, MPI_Win win) noexcept {
  return object::with_win<fn::win_fence>(win, [=](auto& scope, object::win_entry& e) {
    return object::fence(scope, e, assertions); });
}
inline int win_post(MPI_Group group, int assertions, MPI_Win win) noexcept {
  return object::with_win<fn::win_post>(win, [=](auto&, object::win_entry& e) {
    return object::post(e, group, assertions); });
}
inline int win_start(MPI_Group group, int assertions, MPI_Win win) noexcept {
  return object::with_win<fn::win_start>(win, [=](auto& scope, object::win_entry& e) {
    return object::start(scope, e, group, assertions); });
}
inline int win_complete(MPI_Win win) noexcept {
  return object::with_win<fn::win_complete>(win, [](auto&, object::win_entry& e) { return object::complete(e); });
}
inline int win_wait(MPI_Win win) noexcept {
  return object::with_win<fn::win_wait>(win, [](auto& scope, object::win_entry& e) {
    return object::await_completions(scope, e); });
}
inline int win_test(MPI_Win win, int* flag) noexcept {
  return object::with_win<fn::win_test>(win, [=](auto&, object::win_entry& e) {
    return object::look_for_completions(e, flag); });
}

inline int win_lock(int type, int target, int assertions, MPI_Win win) noexcept {
  return object::with_win<fn::win_lock>(win, [=](auto& scope, object::win_entry& e) {
    return object::lock(scope, e, type, target, assertions); });
}
inline int win_unlock(int target, MPI_Win win) noexcept {
  return object::with_win<fn::win_unlock>(win, [=](auto&, object::win_entry& e) { return object::unlock(e, target); });
}
inline int win_lock_all(int assertions, MPI_Win win) noexcept {
  return object::with_win<fn::win_lock_all>(win, [=](auto& scope, object::win_entry& e) {
    return object::lock_all(scope, e, assertions); });
}
inline int win_unlock_all(MPI_Win win) noexcept {
  return object::with_win<fn::win_unlock_all>(win, [](auto&, object::win_entry& e) { return object::unlock_all(e); });
}

// A flush of the program is one below, also where nothing is dirty. Peers' operations on this rank's memory may need it:
// programs flush while they wait for a value that a peer is to write.
inline int win_flush(int target, MPI_Win win) noexcept {
  return object::flush_one<fn::win_flush>(win, target, [=](object::win_entry& e) {
    return object::flush_at(e, target); });
}
inline int win_flush_all(MPI_Win win) noexcept {
  return object::flush_every<fn::win_flush_all>(win, [](object::win_entry& e) { return object::flush_all(e); });
}
inline int win_flush_local(int target, MPI_Win win) noexcept {
  return object::flush_one<fn::win_flush_local>(win, target, [=](object::win_entry& e) {
    return lower::cross([&] { return object::live_mpi().MPI_Win_flush_local(target, e.real); }); });
}
inline int win_flush_local_all(MPI_Win win) noexcept {
  return object::flush_every<fn::win_flush_local_all>(win, [](object::win_entry& e) {
    return lower::cross([&] { return object::live_mpi().MPI_Win_flush_local_all(e.real); }); });
}
/// A processor's barrier: legal in every epoch.
inline int win_sync(MPI_Win win) noexcept {
  return object::with_win<fn::win_sync>(win, [](auto&, object::win_entry& e) { return object::synchronise(e); });
}

}  // namespace mana::manual
