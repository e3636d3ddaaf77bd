// The checks of a rank before it agrees to restart a candidate. They read no memory from images.
#pragma once
#include <runtime/job/memory/restored_image.hpp>

#include <runtime/store/nodes/local_sidecar.hpp>
#include <runtime/store/store.hpp>

#include <cstdint>
#include <string>

namespace mana::job {

/// out: a text that differs for different manifests
std::string sum_of(const store::manifest& m);

/// In the directory of checkpoints: checks that the image belongs to this rank, and to the checkpoint that rank 0 sees.
/// in:     path  of the generation
///         sum_at_first  of its manifest, on rank 0
/// errors: start_failure
void check_global_file(const std::string& path, const std::string& sum_at_first, std::uint32_t rank);

/// On the node: checks that the image is the agreed one, and that its references exist.  errors: start_failure
void check_file_on_node(const restored_image& own, const store::local_image& about);

/// True if the directory of checkpoints has the same image too.
bool is_global(const std::string& directory, const store::local_image& about) noexcept;

}  // namespace mana::job
