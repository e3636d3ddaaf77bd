// Exit statuses for errors of the store of checkpoints.
#pragma once
#include <runtime/job/start_failure.hpp>

#include <runtime/store/store.hpp>

namespace mana::job {

constexpr exit_status status_of(store::error_kind kind) noexcept {
  switch (kind) {
    case store::error_kind::no_checkpoint:
    case store::error_kind::missing_file: return exit_status::checkpoint_missing;
    case store::error_kind::damaged: return exit_status::checkpoint_damaged;
    case store::error_kind::not_own: return exit_status::checkpoint_not_own;
    case store::error_kind::other_version:
    case store::error_kind::program_file: return exit_status::surroundings_differ;
    case store::error_kind::unwritable:
    case store::error_kind::unreadable: return exit_status::checkpoint_unreadable;
  }
  return exit_status::internal;
}

}  // namespace mana::job
