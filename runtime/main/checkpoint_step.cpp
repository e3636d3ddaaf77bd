#include "checkpoint_step.hpp"

#include "control_of_job.hpp"
#include "job.hpp"
#include "start_failure.hpp"

#include "../lower/life.hpp"
#include "../traps/signals.hpp"

#include <mana/core/fault_points.hpp>

#include <capture.hpp>
#include <process_state.hpp>
#include <rank_image.hpp>
#include <regions.hpp>
#include <saved_state.hpp>
#include <signal_hold.hpp>
#include <store.hpp>
#include <upper_half.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace mana::run {

namespace {

/// The section "threads": each thread's id, 4 bytes, little endian.
std::vector<std::uint8_t> encoded_thread_ids() {
  std::vector<std::uint8_t> bytes;
  for (const std::int32_t id : split::thread_ids())
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(id >> shift));
  return bytes;
}

/// What this job lets be lost is a warning, or nothing. errors: std::runtime_error where it refuses to lose anything
void judge(loss_policy policy, const char* option, const std::vector<std::string>& lost,
           std::vector<std::string>& warnings) {
  if (policy == loss_policy::refuse && !lost.empty())
    throw std::runtime_error(lost.front() + " (" + option + " refuse)");
  if (policy == loss_policy::warn) warnings.insert(warnings.end(), lost.begin(), lost.end());
}

/// Shared memory whose file has no name: the image holds what is in it, the descriptors' section what it is a part of.
std::vector<descriptors::shared_mapping> nameless(const std::vector<image::region>& regions) {
  std::vector<descriptors::shared_mapping> found;
  for (const image::region& r : regions)
    if (r.shared && !r.path.empty() && !image::maps_file_again(r))
      found.push_back({r.begin, r.end, r.offset, {r.device, r.inode}, r.path});
  return found;
}

control::rank_written write_to(const std::string& generation, process_state::captured process) {
  const lower::bridge& b = lower::the_bridge();
  const split::saved_state& state = split::saved();
  split::note_dispositions();
  std::error_code none;                // it may have been deleted
  this_job().record.directory = std::filesystem::current_path(none).string();
  const std::vector<image::region> regions = image::upper_regions(state.fixed_begin, state.fixed_end);
  descriptors::captured open_files = descriptors::capture(nameless(regions));
  const std::vector<image::section> sections = {{"run", encode(this_job().record)},
                                                {"threads", encoded_thread_ids()},
                                                {"descriptors", std::move(open_files.bytes)},
                                                {"process", std::move(process.bytes)},
                                                {"registers", split::encode(split::layout_here())}};
  std::vector<std::string> warnings = std::move(open_files.warnings);
  warnings.insert(warnings.end(), process.warnings.begin(), process.warnings.end());
  judge(this_job().options.children, "--children", process.children, warnings);
  judge(this_job().options.sockets, "--sockets", open_files.sockets, warnings);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = image::write_rank_image(generation + "/" + store::rank_file_name(b.world_rank), b.world_rank,
                                              b.world_size, sections, regions,
                                              image::limited_to(this_job().record.cpu, image::features_here()));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {static_cast<int>(b.world_rank), result.file_bytes, result.memory_bytes, result.checksum,
          std::move(warnings), took.count()};
}

/// What can be looked at only on the calling thread. failure: why that went wrong, or empty
process_state::captured look_at_process(std::string& failure) noexcept {
  try {
    return process_state::capture();
  } catch (const std::exception& error) {
    failure = error.what();
    return {};
  }
}

lower::outcome write_and_agree(process_state::captured process, const std::string& failure) {
  fault_point(fault::point::before_write);
  control::rank_written done{};
  try {
    if (!failure.empty()) throw std::runtime_error(failure);
    done = write_to(control_of_job().generation(), std::move(process));
  } catch (const std::exception& error) {
    const lower::outcome how = control_of_job().not_written(error.what());
    fault_point(fault::point::given_up);
    return how;
  }
  fault_point(fault::point::written);
  const lower::outcome how = control_of_job().written(done);
  fault_point(how == lower::outcome::resumed ? fault::point::committed : fault::point::given_up);
  return how;
}

/// What the live MPI says of requests that it never completes (UCX does, on standard output) is no output of the program's,
/// whose requests are all in the image, and might land in a file of its own that has this number.
void keep_quiet() noexcept {
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
}

}  // namespace

/// The image is written by a thread of the lower half: the calling thread's stack, which is saved, changes meanwhile only
/// below where it was saved.
lower::outcome write_image() {
  lower::outcome how = lower::outcome::given_up;
  const process_state::signal_hold hold;
  std::string failure;
  process_state::captured process = look_at_process(failure);
  std::thread([&] { how = write_and_agree(std::move(process), failure); }).join();
  if (how == lower::outcome::resumed && control_of_job().stop_asked()) {
    control_of_job().end();
    keep_quiet();
    real_mpi::finish();
    std::_Exit(0);
  }
  return how;
}

void release(lower::outcome how) {
  if (how == lower::outcome::restarted) {
    ++lower::the_bridge().restarts;
    for (const std::string& what : process_state::continue_process())
      say("mana: warning: rank " + std::to_string(lower::the_bridge().world_rank) + ": " + what +
          " is not as it was at the checkpoint: not allowed, or not possible here");
  }
  fault_point(how == lower::outcome::restarted ? fault::point::objects_rebuilt : fault::point::resuming);
  control_of_job().release();
}

}  // namespace mana::run
