#include <runtime/tools/launch/lower_half_answer.hpp>

#include "../temporary_directory.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace tools_lower_half_answer_tests {

using namespace mana::tools;
using namespace std::chrono_literals;

namespace {

/// The answer that doctor gets if a shell script is in place of the lower half.
lower_half_answer answer_of(const std::string& script, std::chrono::milliseconds patience = 60s) {
  const temporary_directory folder;
  return ask_lower_half(folder.write("lower half", "#!/bin/sh\n" + script + '\n', true), patience);
}

}  // namespace

TEST_CASE("a lower half names its MPI library") {
  CHECK(answer_of("[ \"$1\" = mpi-version ] && echo MPICH 4.0.2").version == "MPICH 4.0.2");
  CHECK(answer_of("echo MPICH 4.0.2; echo more").version == "MPICH 4.0.2");
}

TEST_CASE("outputs larger than a pipe hold nobody up") {
  const lower_half_answer answer = answer_of("head -c 300000 /dev/zero >&2; echo MPICH 4.0.2; head -c 300000 /dev/zero");
  CHECK(answer.version == "MPICH 4.0.2");
}

TEST_CASE("a lower half that does not start says why") {
  CHECK(answer_of("echo 'mana: error: no libmpi_abi' >&2; exit 1").complaint == "no libmpi_abi");
  CHECK(answer_of("exit 1").complaint == "it says nothing");
  CHECK(answer_of("kill -9 $$").complaint == "signal 9 ended it");
  CHECK(ask_lower_half("/nowhere/lower").complaint == "No such file or directory");
  CHECK(answer_of("exit 1").version.empty());
}

TEST_CASE("a lower half whose library waits while it is loaded is killed") {
  const lower_half_answer answer = answer_of("kill -STOP $$", 500ms);
  CHECK(answer.version.empty());
  CHECK(answer.complaint == "it gave no answer within 0.5 s, and was killed");
  CHECK(answer_of("echo no network >&2; kill -STOP $$", 500ms).complaint == "it gave no answer within 0.5 s, and was killed: no network");
}

TEST_CASE("a lower half that answers is not waited for") {
  CHECK(answer_of("echo MPICH 4.0.2; kill -STOP $$").version == "MPICH 4.0.2");
}

TEST_CASE("a process that the MPI's library leaves behind holds nobody up") {
  // A FIFO that nobody writes to: its reader keeps both outputs open.
  const temporary_directory folder;
  const std::string fifo = (folder.path() / "fifo").string();
  const auto program = folder.write("lower half", "#!/bin/sh\nmkfifo '" + fifo + "'\ncat '" + fifo +
                                                      "' &\necho $! > '" + fifo + ".pid'\necho MPICH 4.0.2\n", true);
  CHECK(ask_lower_half(program, 60s).version == "MPICH 4.0.2");
  CHECK(::kill(std::stoi(read_bytes(fifo + ".pid")), SIGKILL) == 0);
}

}  // namespace tools_lower_half_answer_tests
