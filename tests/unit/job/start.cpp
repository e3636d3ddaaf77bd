// What a lower half reads before MPI runs: its words, the record of a run, a program's identity.
#include "../temporary_directory.hpp"

#include <doctest/doctest.h>

#include <runtime/job/program_identity.hpp>
#include <runtime/job/run_record.hpp>
#include <runtime/job/start_failure.hpp>
#include <runtime/job/start_options.hpp>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace job_start_tests {

using namespace mana::job;

TEST_CASE("the words of run") {
  const auto options = parse_start_options({"run", "--ckpt-dir", "/c k", "--interval", "1.5", "--limit", "0", "--preload",
                                            "/lib/x.so", "--", "./app", "--ckpt-dir", "a\nb", "", "--"});
  CHECK_FALSE(options.restart);
  CHECK(options.checkpoint_directory == "/c k");
  CHECK(options.interval_s == 1.5);
  CHECK(options.preload == "/lib/x.so");
  CHECK(options.stop_on == 0);
  CHECK(options.stopped_status == 88);
  CHECK(options.command == std::vector<std::string>{"./app", "--ckpt-dir", "a\nb", "", "--"});
}

TEST_CASE("the tag bound that a program is told is one that an MPI may have") {
  const auto bound = [](std::vector<std::string> given) {
    std::vector<std::string> words{"run", "--ckpt-dir", "/c", "--preload", "/l"};
    words.insert(words.end(), given.begin(), given.end());
    words.insert(words.end(), {"--", "./app"});
    return parse_start_options(words).tag_bound;
  };
  CHECK(bound({}) == 1048575);
  CHECK(bound({"--tag-ub", "32767"}) == 32767);
  CHECK(bound({"--tag-ub", "2147483647"}) == 2147483647);
  for (const char* wrong : {"32766", "2147483648", "-1", "", "many"}) CHECK_THROWS_AS(bound({"--tag-ub", wrong}), start_failure);
}

TEST_CASE("the words of a program that another one became") {
  const auto options = parse_start_options({"run", "--ckpt-dir", "/c", "--preload", "/l", "--forked", "--tool",
                                            "/bin/mana",
                                            "--program", "/bin/app", "--taken-along", "child", "--mask", "512",
                                            "--filtered", "window", "--launcher", "1:2,-,-", "--input-count", "517",
                                            "--stdin", "/in", "--linked", "no", "--keep", "3", "--", "renamed", "word"});
  CHECK(options.tool == "/bin/mana");
  CHECK(options.program == "/bin/app");
  CHECK(options.as == taken_along::child);
  CHECK(options.mask == 512);
  CHECK(options.filtered == "window");
  CHECK(options.launcher == "1:2,-,-");
  CHECK(options.input_count == 517);
  CHECK(options.input == "/in");
  CHECK_FALSE(options.is_linked_with_mpi);
  CHECK(options.command == std::vector<std::string>{"renamed", "word"});
  // What the next program is started with: all but what was of this execution only.
  const std::vector<std::string> next{"--ckpt-dir", "/c", "--forked", "--tool", "/bin/mana", "--keep", "3"};
  CHECK(options.inherited == next);
}

TEST_CASE("the words of restart") {
  const auto options = parse_start_options({"restart", "/c/gen-3", "--ckpt-dir", "/c", "--limit", "2.25", "--verbose", "--stop-after", "7", "--clock", "collective_clock",
                                            "--checkpoint-on", "512", "--stop-on", "9223372036854775808",
                                             "--clock-trace", "/t", "--fan-out", "3", "--children", "refuse",
                                             "--sockets", "ignore", "--pack-threads", "3",
                                            "--map", "/a=/b", "--perf-map", "--map", "/c=/d"});
  CHECK(options.restart);
  CHECK(options.perf_map);
  CHECK(options.moved("/c/a") == "/d/a");
  CHECK(options.moved("/a/c") == "/b/c");
  CHECK(options.generation == "/c/gen-3");
  CHECK(options.limit_s == 2.25);
  CHECK(options.stop_after_s == 7);
  CHECK(options.clock == "collective_clock");
  CHECK(options.clock_trace == "/t");
  CHECK(options.fan_out == 3);
  CHECK(options.pack_threads == 3);
  CHECK(options.children == loss_policy::refuse);
  CHECK(options.sockets == loss_policy::ignore);
  CHECK(options.checkpoint_on == 512);
  CHECK(options.stop_on == 0x8000'0000'0000'0000);
  CHECK(options.verbose);
}

TEST_CASE("words that are refused") {
  const std::vector<std::vector<std::string>> wrong = {
      {}, {"walk"}, {"run"}, {"run", "--ckpt-dir"}, {"run", "--ckpt-dir", "/c", "--preload", "/l", "--"},
      {"run", "--ckpt-dir", "/c", "--", "./app"}, {"run", "--interval", "-1"}, {"run", "--interval", "1x"},
      {"run", "--limit", "nan"}, {"run", "--stop-on", "USR1"}, {"run", "--stopped-status", "256"}, {"run", "--clock", "sundial"},
      {"run", "--fan-out", "1"}, {"run", "--pack-threads", "0"}, {"run", "--pack-threads", "65"}, {"run", "--children", "perhaps"}, {"run", "--sockets"}, {"run", "--fan-out", "4x"},
      {"run", "./app"}, {"restart", "--ckpt-dir", "/c"}, {"restart", "/c/gen-1"},
      {"restart", "/c/gen-1", "--ckpt-dir", "/c", "--map", "a=/b"},
      {"restart", "/c/gen-1", "--ckpt-dir", "/c", "--map"},
      {"run", "--ckpt-dir", "/c", "--preload", "/l", "--map", "/a=/b", "--", "./app"},
      {"restart", "a", "--ckpt-dir", "/c", "--redundancy", "1+1"}, {"restart", "a", "--ckpt-dir", "/c", "--local", "/l", "--redundancy", "1+1", "--forked"},
      {"restart", "a", "--ckpt-dir", "/c", "--local", "/l", "--redundancy", "1+"},
      {"restart", "a", "b", "--ckpt-dir", "/c"}, {"restart", "a", "--ckpt-dir", "/c", "--"}};
  for (const auto& words : wrong) {
    CAPTURE(words.size());
    try {
      parse_start_options(words);
      FAIL_CHECK("accepted");
    } catch (const start_failure& failure) {
      CHECK(failure.status() == mana::exit_status::usage);
      CHECK(failure.who() == met_by::all);
    }
  }
}

TEST_CASE("a record of a run comes back as it was, or not at all") {
  const run_record record{"Open MPI", "4.1.4", 3, "/usr/bin/lmp", "0a1b", {"lmp", "-in", "", "x y\n\""}, "/home/u",
                          "x86-64-v2"};
  const auto bytes = encode(record);
  const auto back = decode_run_record(bytes);
  CHECK(back.mpi_name == record.mpi_name);
  CHECK(back.thread_level == 3);
  CHECK(back.arguments == record.arguments);
  CHECK(back.directory == record.directory);
  CHECK(back.cpu == record.cpu);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_THROWS_AS(decode_run_record(std::span(bytes).first(n)), std::runtime_error);

  auto earlier = bytes;                        // version 1 ends before the processor's level
  earlier.resize(bytes.size() - 4 - record.cpu.size());
  earlier[7] = '1';
  CHECK(decode_run_record(earlier).directory == record.directory);
  CHECK(decode_run_record(earlier).cpu.empty());
  earlier[7] = '3';
  CHECK_THROWS_AS(decode_run_record(earlier), std::runtime_error);
}

TEST_CASE("identity of a program") {
  const std::string self = program_identity("/proc/self/exe");
  CHECK(self == program_identity("/proc/self/exe"));
  CHECK_FALSE(self.empty());
  CHECK_THROWS_AS(program_identity("/nowhere/at/all"), std::system_error);
  const temporary_directory scratch;
  CHECK(program_identity(scratch.write("data", "no ELF file")).starts_with("sum:"));
}

TEST_CASE("the launcher's rank") {
  for (const char* variable : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) unsetenv(variable);
  CHECK(rank_from_environment() == 0);
  setenv("OMPI_COMM_WORLD_RANK", "7", 1);
  CHECK(rank_from_environment() == 7);
  setenv("PMI_RANK", "not a number", 1);
  CHECK(rank_from_environment() == 7);
}

}  // namespace job_start_tests
