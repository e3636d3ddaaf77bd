// Turns an image's error into the command's.
#pragma once
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/store_failure.hpp>

#include <runtime/files/image_error.hpp>

namespace mana::tools {

[[noreturn]] inline void fail(const files::image_error& error) {
  switch (error.kind()) {
    case files::error_kind::missing: throw failure(exit_status::checkpoint_missing, error.what());
    case files::error_kind::file: throw failure(exit_status::surroundings_differ, error.what(), map_remedy);
    case files::error_kind::io: throw failure(exit_status::checkpoint_unreadable, error.what());
    case files::error_kind::not_own: throw failure(exit_status::checkpoint_not_own, error.what());
    default: throw failure(exit_status::checkpoint_damaged, error.what());
  }
}

}  // namespace mana::tools
