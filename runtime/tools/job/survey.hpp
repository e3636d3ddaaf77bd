// The checkpoints in a directory, for the commands that show them.
#pragma once
#include <runtime/tools/job/checkpoint_view.hpp>

#include <runtime/store/store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mana::tools {

/// Every generation in the directory, oldest first. The directory may be a generation itself. Of the images, only their
/// headers and tables are read.
/// in:     number  only this generation
/// errors: failure (checkpoint_missing, …)
std::vector<checkpoint_view> view_directory(const std::string& directory, std::optional<std::uint64_t> number = {});

/// A running job may remove a checkpoint, its manifest first, while a command reads it: such a checkpoint is gone, not
/// damaged.
void leave_out_what_is_gone(std::vector<checkpoint_view>& checkpoints);

}  // namespace mana::tools
