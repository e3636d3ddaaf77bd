#include <runtime/tools/text/store_failure.hpp>

#include <runtime/tools/text/failure.hpp>

namespace mana::tools {

exit_status code_of(store::error_kind kind) noexcept {
  using store::error_kind;
  switch (kind) {
    case error_kind::unwritable: return exit_status::directory_unwritable;
    case error_kind::damaged: return exit_status::checkpoint_damaged;
    case error_kind::unreadable: return exit_status::checkpoint_unreadable;
    case error_kind::not_own: return exit_status::checkpoint_not_own;
    case error_kind::other_version:
    case error_kind::program_file: return exit_status::surroundings_differ;
    case error_kind::no_checkpoint:
    case error_kind::missing_file: break;
  }
  return exit_status::checkpoint_missing;
}

void fail_with(const store::store_error& error) {
  const bool is_elsewhere = error.kind() == store::error_kind::program_file;
  throw failure(code_of(error.kind()), error.what(), is_elsewhere ? map_remedy : "");
}

}  // namespace mana::tools
