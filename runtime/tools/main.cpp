// The command `mana`: parses its arguments, runs the command, and turns a failure into an error message and an exit
// status.
#include <runtime/tools/launch/follow.hpp>
#include <runtime/tools/mpi/launcher.hpp>
#include <runtime/tools/options/command_line.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/safe_name.hpp>

#include <runtime/job/rank_end.hpp>
#include <runtime/words/error_text.hpp>

#include <fmt/format.h>

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>

namespace mana::tools {
namespace {

const char* process_environment(const char* name) { return std::getenv(name); }

struct execute {
  int operator()(const show_text& shown) const {
    fmt::print("{}", shown.text);
    return 0;
  }
  int operator()(const run_command& wanted) const { run(wanted.options, process_environment); }
  int operator()(const restart_command& wanted) const { restart(wanted.options, process_environment); }
  int operator()(const checkpoint_command& wanted) const { return take_checkpoint(wanted); }
  int operator()(const status_command& wanted) const { return show_status(wanted); }
  int operator()(const gdb_command& wanted) const { debug(wanted, process_environment); }
  int operator()(const doctor_command& wanted) const { return examine(wanted, process_environment); }
  int operator()(const add_mpi_command& wanted) const { add_mpi(wanted, process_environment); }
  int operator()(const list_command& wanted) const { return list(wanted); }
  int operator()(const inspect_command& wanted) const { return inspect(wanted); }
  int operator()(const diff_command& wanted) const { return diff(wanted); }
  int operator()(const extract_command& wanted) const { return extract(wanted); }
  int operator()(const completion_command& wanted) const { return complete(wanted); }
  int operator()(const help_command& wanted) const { return help(wanted, process_environment); }
  int operator()(const verify_command& wanted) const { return verify(wanted); }
  int operator()(const prune_command& wanted) const { return prune(wanted); }
  int operator()(const compact_command& wanted) const { return compact(wanted); }
};

std::string text_of(const failure& failed) { return shown_lines(words::error_text(failed.what(), failed.remedy())); }

/// Usually every rank of a job meets the same failure: one rank of each node prints it.
[[noreturn]] void end_rank(const failure& failed, const launcher& started_by) {
  const bool is_first = started_by.node_rank == 0;
  const std::string text = text_of(failed);
  job::end_rank(is_first ? text : fmt::format("{} (rank {})", text, started_by.rank), static_cast<int>(failed.code()),
                is_first ? job::speaker::this_rank : job::speaker::another);
}

/// The other commands concern a job and are no part of one, whoever runs them.
bool is_rank(int argc, char** argv) {
  if (argc < 2) return false;
  const std::string_view command = argv[1];
  return command == "run" || command == "restart" || command == "follow";
}

int end(const failure& failed, bool is_of_job) {
  const launcher started_by = find_launcher(process_environment);
  if (is_of_job) end_rank(failed, started_by);
  // If even this text cannot be written, only the exit status is left.
  if (started_by.node_rank == 0) std::fputs((text_of(failed) + "\n").c_str(), stderr);
  return static_cast<int>(failed.code());
}

/// If a standard stream is closed, the next file that a command opens gets its number, and messages go into that file.
void keep_standard_streams() noexcept {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

failure lost_output(const std::string& why) {
  return failure(mana::exit_status::output_lost, "standard output: " + why, "the command has done its work; only its "
                                                                            "output is lost. Make room, and run it "
                                                                            "again");
}

/// Text may still be in a buffer.
void flush_output() {
  if (std::fflush(stdout) != 0) throw lost_output(std::strerror(errno));
  if (std::ferror(stdout) != 0) throw lost_output("the output is incomplete");
}

int execute_words(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "follow") follow({argv + 2, argv + argc}, process_environment);
  const auto configuration = [] { return find_configuration(process_environment); };
  try {
    const int status = std::visit(execute{}, parse_command_line({argv + 1, argv + argc}, configuration));
    flush_output();
    return status;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) throw lost_output(error.code().message());
    throw;
  }
}

}  // namespace
}  // namespace mana::tools

int main(int argc, char** argv) {
  using namespace mana::tools;
  const bool is_of_job = is_rank(argc, argv);
  if (!is_of_job) keep_standard_streams();
  try {
    return execute_words(argc, argv);
  } catch (const failure& failed) {
    return end(failed, is_of_job && failed.code() != mana::exit_status::output_lost);
  } catch (const std::exception& error) {
    return end(failure(mana::exit_status::internal, error.what()), is_of_job);
  }
}
