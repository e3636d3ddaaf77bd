// What this lower half knows of its job. One object; set up by main() before the upper half runs.
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
/// How far its image of this checkpoint is.
files::write_meter& meter_of_job() noexcept;

}  // namespace mana::job
