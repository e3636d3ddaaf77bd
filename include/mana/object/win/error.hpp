// Errors of windows go through the window's error handler. A handle that is none has MPI_COMM_WORLD's. So has, built for MPICH, a
// window without one of its own.
#pragma once
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/win/descriptor.hpp>

namespace mana::object {

/// out: nullptr for MPI_WIN_NULL and for a handle that is stale or foreign
[[gnu::always_inline]] inline win_entry* find_win(MPI_Win win) noexcept {
  return vid::table<kind::win>().find(app::to_virt<kind::win>(win));
}

/// Words for errors that mana itself finds. nullptr: the live MPI's are enough
inline const char* words_for_win(int neutral_class) noexcept {
  switch (neutral_class) {
    case neutral::err_win: return "null, stale or foreign window";
    case neutral::err_rma_sync: return "the window's epoch does not allow it: begin or end an epoch first";
    case neutral::err_base: return "no memory of the host: it is not mapped, or a device's. Give memory of the host, and copy";
    case neutral::err_rma_flavor: return "windows of this kind do not have it";
    case neutral::err_unsupported_operation: return "the live MPI, or the job's clock policy, does not have it";
    default: return nullptr;
  }
}

/// The handler for errors of this window, as the standard has it.
inline std::uint32_t errhandler_of(const descriptor<kind::win>& d) noexcept {
  return d.errhandler == 0 ? std::uint32_t{neutral::errors_are_fatal} : d.errhandler;
}

[[gnu::cold]] inline int raise_win(MPI_Win win, function_id f, int neutral_class, const char* detail = nullptr) noexcept {
  if (detail == nullptr) detail = words_for_win(neutral_class);
  const win_entry* const e = find_win(win);
  const bool is_of_world = e == nullptr || (e->what.errhandler == 0 && family::unset_errhandler_is_of_world);
  if (is_of_world) return fail(f, neutral_class, detail);
  return run_errhandler(errhandler_of(e->what), win, app::error_code(neutral_class), f, detail);
}

/// The frame of calls on a window. use(scope, entry) returns a neutral error class.
template <class Fn, class Use>
[[gnu::always_inline]] inline int with_win(MPI_Win win, Use&& use) noexcept {
  call::wrapper_scope scope(Fn::id);
  win_entry* const e = find_win(win);
  if (e == nullptr) return raise_win(win, Fn::id, neutral::err_win);
  const int rc = use(scope, *e);
  return rc == neutral::success ? MPI_SUCCESS : raise_win(win, Fn::id, rc);
}

/// Changes epochs in one thread at a time. change(epochs) returns a neutral error class, and neither waits nor calls.
template <class Change>
[[gnu::always_inline]] inline int with_epochs(win_entry& e, Change&& change) noexcept {
  const bool is_alone = call::library().callers != turns::at_once;
  if (!is_alone)
    while (e.what.epoch_lock.test_and_set(std::memory_order_acquire)) {}
  const int rc = change(e.what.epochs);
  if (!is_alone) e.what.epoch_lock.clear(std::memory_order_release);
  return rc;
}

/// out: neutral error class of a rank that is none of the window's, and not MPI_PROC_NULL
inline int check_target(const win_entry& e, int target) noexcept {
  const bool is_one = (target >= 0 && target < ranks_of(e).size) || target == MPI_PROC_NULL;
  return is_one ? int{neutral::success} : int{neutral::err_rank};
}

}  // namespace mana::object
