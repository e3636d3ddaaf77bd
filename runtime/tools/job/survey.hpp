// What there is in a directory of checkpoints, as the commands show it.
#pragma once
#include <runtime/tools/job/checkpoint_view.hpp>

#include <runtime/store/store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mana::tools {

/// Every generation of the directory, the oldest first; the directory may be a generation itself.
/// Of the images' files only what they say of themselves is read.
/// in:     number  only this one
/// errors: failure (checkpoint_missing, …)
std::vector<checkpoint_view> view_directory(const std::string& directory, std::optional<std::uint64_t> number = {});

/// A running job may remove a checkpoint, the manifest first, while it is looked at: then it is not damaged but gone.
void leave_out_what_is_gone(std::vector<checkpoint_view>& checkpoints);

}  // namespace mana::tools
