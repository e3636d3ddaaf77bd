#include <runtime/job/save/mapped_kinds.hpp>

#include <sys/mman.h>

#include <algorithm>

namespace mana::job {

std::vector<descriptors::shared_mapping> nameless(const std::vector<image::region>& regions) {
  std::vector<descriptors::shared_mapping> found;
  for (const image::region& r : regions)
    if (r.shared && !r.path.empty() && !image::maps_file_again(r))
      found.push_back({r.begin, r.end, r.offset, {r.device, r.inode}, r.path});
  return found;
}

std::vector<descriptors::protected_mapping> not_writable(const std::vector<image::region>& regions) {
  std::vector<descriptors::protected_mapping> found;
  for (const image::region& r : regions)
    if (r.shared && (r.protection & PROT_WRITE) == 0) found.push_back({r.begin, r.end});
  return found;
}

std::vector<descriptors::private_mapping> private_files(const std::vector<image::region>& regions) {
  std::vector<descriptors::private_mapping> found;
  for (const image::region& r : regions)
    if (r.is_file && !r.shared && !r.path.empty())
      found.push_back({r.begin, r.end, r.offset, (r.protection & PROT_EXEC) != 0, {r.device, r.inode}, r.path});
  return found;
}

void warn_of_kernels_memory(const std::vector<image::region>& regions, std::vector<std::string>& warnings) {
  for (const image::region& r : regions) {
    const auto names_it = [&r](const std::string& warning) { return warning.find(r.kernels) != std::string::npos; };
    if (r.kernels.empty() || std::ranges::any_of(warnings, names_it)) continue;
    warnings.push_back("memory of the kernel object " + r.kernels + " is mapped, and the object is not saved: after a "
                                                                    "restart this is ordinary memory");
  }
}

}  // namespace mana::job
