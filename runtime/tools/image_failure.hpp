// An image's error as the command's.
#pragma once
#include "failure.hpp"

#include <image_error.hpp>

namespace mana::tools {

[[noreturn]] inline void fail(const image::image_error& error) {
  const bool missing = error.kind() == image::error_kind::missing;
  throw failure(missing ? exit_code::checkpoint_missing : exit_code::checkpoint_damaged, error.what());
}

}  // namespace mana::tools
