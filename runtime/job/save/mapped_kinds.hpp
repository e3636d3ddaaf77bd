// Kinds of mappings of the program that the image has more of than their memory, or less.
#pragma once
#include <runtime/descriptors/capture.hpp>
#include <runtime/image/format/regions.hpp>

#include <string>
#include <vector>

namespace mana::job {

/// Shared memory whose file has no name: the image holds what is in it, the descriptors' section what it is a part of.
std::vector<descriptors::shared_mapping> nameless(const std::vector<image::region>& regions);
/// All that is shared, and not to be written to now.
std::vector<descriptors::protected_mapping> not_writable(const std::vector<image::region>& regions);
std::vector<descriptors::private_mapping> private_files(const std::vector<image::region>& regions);

/// Of objects of the kernel's that no warning names yet, as they have no descriptor any more.
void warn_of_kernels_memory(const std::vector<image::region>& regions, std::vector<std::string>& warnings);

}  // namespace mana::job
