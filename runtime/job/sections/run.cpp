// The section "run": the facts of the run that a restart needs and the upper half's memory lacks.
#include <runtime/job/sections/sections.hpp>

#include <runtime/image/read/rank_image.hpp>

namespace mana::job {

std::vector<std::uint8_t> save_run(const gathered& all) { return encode(all.record); }

void restore_run(const read_section& from, restored_parts& parts) { parts.record = decode_run_record(*from.bytes); }

run_record run_record_of(const image::rank_image& image) {
  return decode_run_record(image.section(image::sections::run));
}

}  // namespace mana::job
