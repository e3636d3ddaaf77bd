// The section "descriptors": open files and other objects with a descriptor, see descriptors/capture.hpp.
#include <runtime/job/sections/sections.hpp>

#include <runtime/job/job.hpp>

#include <utility>

namespace mana::job {

std::vector<std::uint8_t> save_descriptors(const gathered& all) { return std::move(all.files.bytes); }

void restore_descriptors(const read_section& from, restored_parts& parts) {
  parts.files.emplace(*from.bytes, this_job().options.moved, parts.input);
}

}  // namespace mana::job
