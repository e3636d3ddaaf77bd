// The section "registers": the layout of the saved XSAVE areas, see split/window/register_area.hpp.
#include <runtime/job/sections/sections.hpp>

#include <runtime/job/start_failure.hpp>

#include <runtime/split/window/register_area.hpp>
#include <runtime/split/window/upper_half.hpp>

#include <stdexcept>

namespace mana::job {

std::vector<std::uint8_t> save_registers(const gathered&) { return split::encode(split::layout_here()); }

void restore_registers(const read_section& from, restored_parts&) {
  if (!from.bytes) return;      // from a version that refused other processors
  try {
    split::fit_threads(split::decode_register_layout(*from.bytes));
  } catch (const split::load_error& error) {
    throw start_failure(exit_status::surroundings_differ, error.text);
  } catch (const std::runtime_error& error) {
    throw start_failure(exit_status::checkpoint_damaged, error.what());
  }
}

}  // namespace mana::job
