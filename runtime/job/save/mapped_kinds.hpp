// Kinds of the program's mappings for which the image holds more than the memory, or less.
#pragma once
#include <runtime/descriptors/capture.hpp>
#include <runtime/image/format/regions.hpp>

#include <string>
#include <vector>

namespace mana::job {

/// Shared memory whose file has no name: the image holds its contents, and the descriptors' section says to which file
/// it belongs.
std::vector<descriptors::shared_mapping> nameless(const std::vector<image::region>& regions);
/// All shared mappings that are not writable now.
std::vector<descriptors::protected_mapping> not_writable(const std::vector<image::region>& regions);
std::vector<descriptors::private_mapping> private_files(const std::vector<image::region>& regions);

/// Warns of memory of kernel objects without a descriptor, because no warning about a descriptor names them.
void warn_of_kernels_memory(const std::vector<image::region>& regions, std::vector<std::string>& warnings);

}  // namespace mana::job
