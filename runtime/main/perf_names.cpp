#include "perf_names.hpp"

#include "job.hpp"
#include "start_failure.hpp"

#include <low_descriptor_guard.hpp>
#include <perf_map.hpp>

#include <exception>
#include <string>

namespace mana::run {

void name_functions_for_perf() noexcept {
  if (!this_job().options.perf_map) return;
  try {
    const descriptors::low_descriptor_guard guard;
    symbols::write_perf_map();
  } catch (const std::exception& error) {
    say(std::string("mana: warning: --perf-map: ") + error.what());
  }
}

}  // namespace mana::run
