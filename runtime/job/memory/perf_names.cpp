#include <runtime/job/memory/perf_names.hpp>

#include <runtime/job/job.hpp>
#include <runtime/job/start_failure.hpp>

#include <runtime/descriptors/base/low_descriptor_guard.hpp>
#include <runtime/symbols/perf_map.hpp>

#include <exception>
#include <string>

namespace mana::job {

void name_functions_for_perf() noexcept {
  if (!this_job().options.perf_map) return;
  try {
    const descriptors::low_descriptor_guard guard;
    symbols::write_perf_map();
  } catch (const std::exception& error) {
    say(std::string("mana: warning: --perf-map: ") + error.what());
  }
}

}  // namespace mana::job
