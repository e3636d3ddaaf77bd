// The section "needs": what the program's objects need of a live MPI. The thread level is in the section "run".
#include <runtime/job/needs.hpp>
#include <runtime/job/sections/sections.hpp>

#include <runtime/lower/real_mpi.hpp>

#include <mana/lower/abi.hpp>
#include <mana/lower/program_needs.hpp>
#include <mana/lower/upper_functions.hpp>

#include <cstddef>

namespace mana::job {

namespace {

/// nullptr: the program runs without MPI, or its wrapper library does not know its needs
const lower::program_needs* needs_of_program() noexcept {
  const lower::upper_functions* const upper = lower::the_bridge().functions;
  if (upper == nullptr || upper->bytes < offsetof(lower::upper_functions, needs) + sizeof upper->needs) return nullptr;
  return upper->needs;
}

void add_objects(const lower::program_needs& noted, lower::needed_by by, needs& all) {
  for (std::uint32_t code = 0; code < neutral::predefined_limit; ++code) {
    if ((noted.predefined[static_cast<unsigned>(by)][code / 64] >> code % 64 & 1) == 0) continue;
    // Null handles are no objects, and other objects that the live MPI lacks are of no use to a program that runs over it.
    if (const auto object = real_mpi::predefined_object_of(code))
      all.objects.push_back({code, object->name, object->bytes, by == lower::needed_by::operation});
  }
}

}  // namespace

/// Valid once the upper half has drained.
std::vector<std::uint8_t> save_needs(const gathered&) {
  needs all;
  const lower::program_needs* const noted = needs_of_program();
  if (noted == nullptr) return encode(all);
  all.told_tag_bound = noted->told_tag_bound;
  all.largest_tag = noted->largest_tag;
  all.large_counts = noted->large_counts != 0;
  add_objects(*noted, lower::needed_by::operation, all);
  add_objects(*noted, lower::needed_by::datatype, all);
  return encode(all);
}

void restore_needs(const read_section& from, restored_parts& parts) {
  if (from.bytes) parts.needed = decode_needs(*from.bytes);
}

}  // namespace mana::job
