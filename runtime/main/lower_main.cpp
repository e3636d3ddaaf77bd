// A lower half: reads how it was started, then loads the program into this process, or restores it there.
#include "fault_point.hpp"
#include "job.hpp"
#include "own_requests.hpp"
#include "rank_end.hpp"
#include "restart.hpp"
#include "services.hpp"
#include "start_failure.hpp"

#include "program_identity.hpp"

#include "../lower/life.hpp"
#include "../lower/real_call.hpp"

#include <capture.hpp>
#include <endpoint.hpp>
#include <low_descriptor_guard.hpp>
#include <process_state.hpp>
#include <shared_value.hpp>
#include <upper_half.hpp>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace mana::run {

job& this_job() noexcept {
  static job the_job;
  return the_job;
}

/// Made when the options are known. Never destroyed: its thread may run as long as the process.
image::image_saver& saver_of_job() noexcept {
  static auto& saver = *new image::image_saver(this_job().options.saving);
  return saver;
}

/// Never unmapped: a process that was forked off counts here.
image::write_meter& meter_of_job() noexcept {
  static auto& meter = *new image::shared_value<image::write_meter>;
  return *meter;
}

namespace {

[[noreturn]] void run_program() {
  job& j = this_job();
  j.record.mpi_name = real_mpi::library_name();
  j.record.mpi_version = real_mpi::library_version();
  j.record.program = std::filesystem::absolute(j.options.command[0]).lexically_normal().string();
  j.record.arguments = j.options.command;
  j.record.cpu = j.options.cpu;
  constexpr int all_levels = 3;
  j.record.thread_level = all_levels;        // an image from before MPI_Init does not know
  j.record.build_id = program_identity(j.record.program);

  split::start_options start;
  start.program = j.options.command[0];
  start.args = j.options.command;
  start.preload = j.options.preload;
  for (char** entry = environ; *entry != nullptr; ++entry) start.env.emplace_back(*entry);
  split::prepare_bridge();
  lower::the_bridge().service = &the_services();
  lower::the_bridge().mpi = &lower::the_mpi_slots();
  real_mpi::fill_predefined_handles();
  descriptors::move_launcher_descriptor();
  descriptors::begin();
  process_state::begin();
  split::start(start);
}

/// From now on requests wait for this job. A directory that cannot be written is said when the coordinator comes up.
void announce() {
  const start_options& options = this_job().options;
  if (rank_from_environment() != 0) return;
  try {
    control::write_job_file(options.checkpoint_directory,
                            control::starting_job(0, options.restart ? options.generation : options.command[0],
                                                  options.restart ? "is being restarted" : "is starting"));
  } catch (const std::system_error&) {
  }
}

/// For mana doctor.
int say_mpi_version() {
  std::printf("%s %s\n", real_mpi::library_name().c_str(), real_mpi::library_version().c_str());
  return 0;
}

[[noreturn]] void start(int argc, char** argv) {
  this_job().options = parse_start_options({argv + 1, argv + argc});
  arm_fault_points();
  begin_own_requests(this_job().options);
  announce();
  if (this_job().options.restart) restart_program();
  run_program();
}

}  // namespace
}  // namespace mana::run

int main(int argc, char** argv) {
  using namespace mana::run;
  try {
    if (argc == 2 && std::string_view(argv[1]) == "mpi-version") return say_mpi_version();
    start(argc, argv);
  } catch (const start_failure& failure) {
    end_alone(failure);
  } catch (const mana::split::load_error& error) {
    end_alone(start_failure(static_cast<exit_status>(error.exit_code), error.text, {}, met_by::all));
  } catch (const std::system_error& error) {
    end_alone(start_failure(exit_status::program_not_started, error.what()));
  } catch (const std::exception& error) {
    end_alone(start_failure(exit_status::internal, error.what()));
  }
}
