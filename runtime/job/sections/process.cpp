// The section "process": state of the process and its threads in the kernel, see process_state/section.hpp.
#include <runtime/job/sections/sections.hpp>

#include <runtime/job/start_failure.hpp>

#include <exception>
#include <utility>

namespace mana::job {

std::vector<std::uint8_t> save_process(const gathered& all) { return std::move(all.process.bytes); }

void restore_process(const read_section& from, restored_parts&) {
  if (!from.bytes) return process_state::restore_nothing();
  try {
    process_state::restore(*from.bytes);
  } catch (const std::exception& error) {
    throw start_failure(exit_status::checkpoint_damaged,
                        std::string("the image's section \"process\" is damaged: ") + error.what());
  }
}

}  // namespace mana::job
