// The facts that this lower half has about its job: one object, which main() sets up before the upper half runs.
#pragma once
#include <runtime/job/run_record.hpp>
#include <runtime/job/start_options.hpp>

namespace mana::job {

struct job {
  start_options options;
  run_record record;        // goes into every image; `directory` is filled when one is written
};
job& this_job() noexcept;

/// Writes this rank's images.
image::image_saver& saver_of_job() noexcept;
/// Counts the bytes of this rank's image that are written in this checkpoint.
files::write_meter& meter_of_job() noexcept;

}  // namespace mana::job
