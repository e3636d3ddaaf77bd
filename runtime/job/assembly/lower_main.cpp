// The main program of a lower half: reads its options, then loads the program into this process, or restores it there.
#include <runtime/job/fault_point.hpp>
#include <runtime/job/job.hpp>
#include <runtime/job/job_claim.hpp>
#include <runtime/job/own/own_mappings.hpp>
#include <runtime/job/own/own_requests.hpp>
#include <runtime/job/rank_end.hpp>
#include <runtime/job/restart/restart.hpp>
#include <runtime/job/services.hpp>
#include <runtime/job/start_failure.hpp>

#include <runtime/job/program_identity.hpp>

#include <runtime/lower/life.hpp>
#include <runtime/lower/table.hpp>

#include <runtime/control/endpoint.hpp>
#include <runtime/control/passage.hpp>
#include <runtime/descriptors/base/low_descriptor_guard.hpp>
#include <runtime/descriptors/base/standard_files.hpp>
#include <runtime/descriptors/capture.hpp>
#include <runtime/image/memory/shared_value.hpp>
#include <runtime/process_state/kept_notices.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/split/traps/process/follow.hpp>
#include <runtime/split/traps/process/process.hpp>
#include <runtime/split/window/shown_process.hpp>
#include <runtime/split/window/upper_half.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace mana::job {

job& this_job() noexcept {
  static job the_job;
  return the_job;
}

/// Made when the options are known. Never destroyed: its thread may run until the process ends.
image::image_saver& saver_of_job() noexcept {
  static auto& saver = *new image::image_saver(saving_of(this_job().options));
  return saver;
}

/// Never unmapped: a forked writer counts in this memory.
files::write_meter& meter_of_job() noexcept {
  static auto& meter = *new image::shared_value<files::write_meter>;
  return *meter;
}

namespace {

/// If the program executes another program, the tool gets these words: they name this lower half and its options.
void follow(const std::string& filter) {
  const start_options& options = this_job().options;
  if (options.tool.empty()) return;
  std::vector<std::string> words = options.inherited;
  const auto given = options.as == taken_along::no ? descriptors::standard_files::here().words() : options.launcher;
  words.insert(words.end(), {"--filtered", filter, "--launcher", given});
  constexpr std::string_view prefix = "mana-lower-";
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").filename().string();
  words.insert(words.begin(), {own.substr(prefix.size()), options.abi, std::to_string(words.size())});
  const auto whose = !real_mpi::is_an_mpi()               ? split::followed::process_alone
                     : options.as == taken_along::child ? split::followed::child
                                                        : split::followed::rank;
  split::follow_executions(options.tool, words, whose);
}

/// errors: std::system_error
void take_input(const std::string& file) {
  // launchers give other ranks an empty input too
  const std::string wanted = rank_from_environment() == 0 ? file : "/dev/null";
  const int fd = open(wanted.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || dup2(fd, STDIN_FILENO) < 0) throw std::system_error(errno, std::system_category(), "--stdin " + wanted);
  close(fd);
}

[[noreturn]] void run_program() {
  job& j = this_job();
  j.record.mpi_name = real_mpi::library_name();
  j.record.mpi_version = real_mpi::library_version();
  const std::string file = j.options.program_named();
  // A symbolic link may lead to another program at the restart: python3, or app-current.
  j.record.program = std::filesystem::weakly_canonical(file).string();
  j.record.arguments = j.options.command;
  j.record.cpu = j.options.cpu;
  j.record.build_id = program_identity(j.record.program);

  if (j.options.as == taken_along::no && !j.options.input.empty()) take_input(j.options.input);
  const auto launchers = j.options.as == taken_along::no ? descriptors::standard_files::here()
                                                         : descriptors::standard_files::parse(j.options.launcher);
  split::start_options start;
  start.program = file;
  start.mask = j.options.mask;
  start.filtered = j.options.filtered;
  start.args = j.options.command;
  start.preload = j.options.preload;
  start.is_linked_with_mpi = j.options.is_linked_with_mpi;
  for (char** entry = environ; *entry != nullptr; ++entry) start.env.emplace_back(*entry);
  keep_window_free();
  split::prepare_bridge();
  lower::the_bridge().service = &the_services();
  lower::the_bridge().mpi = &lower::the_mpi_slots();
  real_mpi::fill_predefined_handles();
  descriptors::copy_launcher_descriptor();
  descriptors::begin(launchers, {j.options.as != taken_along::no, j.options.input_count});
  process_state::begin();
  split::start(start, follow);
}

/// From now on, requests wait for this job. If the directory is not writable, the coordinator reports that when it
/// starts.
void announce() {
  const start_options& options = this_job().options;
  try {
    control::write_job_file(options.checkpoint_directory,
                            control::starting_job(0, options.restart ? options.generation : options.program_named(),
                                                  options.restart ? "is being restarted" : "is starting",
                                                  control::own_build()));
  } catch (const std::system_error&) {
  }
}

/// The other ranks of a restart do nothing before MPI connects them with rank 0. A program that replaced the rank's
/// program inherits the rank's claim, or claims the directory again.
void enter_directory() {
  const start_options& options = this_job().options;
  if (rank_from_environment() == 0) {
    split::close_in_forked_children(claim_directory(options));
    if (options.as == taken_along::no) announce();
  } else if (!options.restart && options.as == taken_along::no) {
    await_claim(options);
  }
}

/// For `mana doctor`.
int say_mpi_version() {
  const std::string version = real_mpi::library_version();
  std::printf("%s%s%s\n", real_mpi::library_name().c_str(), version.empty() ? "" : " ", version.c_str());
  return 0;
}

/// A call of the system failed that has no message of its own.
start_failure refusal_of_system(const std::system_error& error, bool is_restart) {
  if (is_restart)
    return start_failure(exit_status::checkpoint_unreadable, error.what(),
                         "restart again; the checkpoint itself may be intact (mana verify DIR)");
  return start_failure(exit_status::program_not_executable, error.what());
}

[[noreturn]] void start(int argc, char** argv) {
  control::reserve_passage(descriptors::first_lower_descriptor());
  process_state::keep_notices_of_tables();
  if (!real_mpi::is_an_mpi()) be_alone();
  this_job().options = parse_start_options({argv + 1, argv + argc});
  arm_fault_points();
  begin_own_requests(this_job().options);
  enter_directory();
  if (this_job().options.restart) {
    keep_window_free();
    restart_program();
  }
  run_program();
}

}  // namespace
}  // namespace mana::job

int main(int argc, char** argv) {
  using namespace mana::job;
  try {
    mana::split::set_vdso_aside();
    if (argc == 2 && std::string_view(argv[1]) == "mpi-version") return say_mpi_version();
    start(argc, argv);
  } catch (const start_failure& failure) {
    end_alone(failure);
  } catch (const mana::split::load_error& error) {
    end_alone(start_failure(static_cast<mana::exit_status>(error.exit_code), error.text, {}, met_by::all));
  } catch (const std::system_error& error) {
    end_alone(refusal_of_system(error, argc > 1 && argv[1] == std::string_view("restart")));
  } catch (const std::exception& error) {
    end_alone(start_failure(mana::exit_status::internal, error.what()));
  }
}
