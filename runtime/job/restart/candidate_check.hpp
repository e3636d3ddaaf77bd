// What a rank looks at before it says that it can be restarted from a candidate. Memory is not read.
#pragma once
#include <runtime/job/memory/restored_image.hpp>

#include <runtime/store/nodes/local_sidecar.hpp>
#include <runtime/store/store.hpp>

#include <cstdint>
#include <string>

namespace mana::job {

/// Tells a manifest from every other.
std::string sum_of(const store::manifest& m);

/// In the directory of checkpoints: the image is this rank's, and of the checkpoint that rank 0 sees.
/// in:     path  of the generation      sum_at_first  of its manifest, on rank 0
/// errors: start_failure
void check_global_file(const std::string& path, const std::string& sum_at_first, std::uint32_t rank);

/// On the node: the image is the one that was agreed on, and what it refers to is there.     errors: start_failure
void check_file_on_node(const restored_image& own, const store::local_image& about);

/// The directory of checkpoints has this very image, too.
bool is_global(const std::string& directory, const store::local_image& about) noexcept;

}  // namespace mana::job
