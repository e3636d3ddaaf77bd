#include "checkpoint_step.hpp"

#include "control_of_job.hpp"
#include "fault_point.hpp"
#include "job.hpp"

#include "../lower/life.hpp"

#include <capture.hpp>
#include <rank_image.hpp>
#include <regions.hpp>
#include <saved_state.hpp>
#include <store.hpp>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

namespace mana::run {

namespace {

/// Shared memory whose file has no name: the image holds what is in it, the descriptors' section what it is a part of.
std::vector<descriptors::shared_mapping> nameless(const std::vector<image::region>& regions) {
  std::vector<descriptors::shared_mapping> found;
  for (const image::region& r : regions)
    if (r.shared && !r.path.empty() && !image::maps_file_again(r))
      found.push_back({r.begin, r.end, r.offset, {r.device, r.inode}, r.path});
  return found;
}

control::rank_written write_to(const std::string& generation) {
  const lower::bridge& b = lower::the_bridge();
  const split::saved_state& state = split::saved();
  std::error_code none;                // it may have been deleted
  this_job().record.directory = std::filesystem::current_path(none).string();
  const std::vector<image::region> regions = image::upper_regions(state.fixed_begin, state.fixed_end);
  descriptors::captured open_files = descriptors::capture(nameless(regions));
  const std::vector<image::section> sections = {{"run", encode(this_job().record)},
                                                {"descriptors", std::move(open_files.bytes)}};
  const auto begin = std::chrono::steady_clock::now();
  const auto result = image::write_rank_image(generation + "/" + store::rank_file_name(b.world_rank), b.world_rank,
                                              b.world_size, sections, regions);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {static_cast<int>(b.world_rank), result.file_bytes, result.memory_bytes, result.checksum,
          std::move(open_files.warnings), took.count()};
}

lower::outcome write_and_agree() {
  fault_point("before_write");
  control::rank_written done{};
  try {
    done = write_to(control_of_job().generation());
  } catch (const std::exception& error) {
    const lower::outcome how = control_of_job().not_written(error.what());
    fault_point("given_up");
    return how;
  }
  fault_point("written");
  const lower::outcome how = control_of_job().written(done);
  fault_point(how == lower::outcome::resumed ? "committed" : "given_up");
  return how;
}

}  // namespace

/// The image is written by a thread of the lower half: the calling thread's stack, which is saved, changes meanwhile only
/// below where it was saved.
lower::outcome write_image() {
  lower::outcome how = lower::outcome::given_up;
  std::thread([&how] { how = write_and_agree(); }).join();
  if (how == lower::outcome::resumed && control_of_job().stop_asked()) {
    control_of_job().end();
    real_mpi::finish();
    std::_Exit(0);
  }
  return how;
}

void release(lower::outcome how) {
  if (how == lower::outcome::restarted) ++lower::the_bridge().restarts;
  control_of_job().release();
}

}  // namespace mana::run
