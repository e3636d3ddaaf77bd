// A tool in C++ that measures what checkpoints cost the program: hooks note the time of each moment, and MPI_Finalize,
// which the tool interposes as tracing tools do, prints what they found. Times that were measured before a checkpoint
// are in its image, so the report of a restarted job is about the whole run.
#include <mana/hooks.hpp>

#include <mpi.h>

#include <array>
#include <cstdio>
#include <ctime>

namespace {

double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);      // allowed in signal handlers, as all that a hook calls has to be
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct times {
  std::array<double, MANA_RESTARTED + 1> at{};   // of the last checkpoint: seconds, by event
  int requested = 0, durable = 0, restarted = 0;
  double still_s = 0, writing_s = 0;

  void note(mana_event event) { at[event] = now_s(); }
} found;

const mana::hook on_request(MANA_REQUESTED, [](const mana_hook_info&) {
  ++found.requested;
  found.note(MANA_REQUESTED);
});
const mana::hook on_line(MANA_LINE_FOUND, [](const mana_hook_info&) { found.note(MANA_LINE_FOUND); });
const mana::hook on_write(MANA_BEFORE_WRITE, [](const mana_hook_info&) { found.note(MANA_BEFORE_WRITE); });
const mana::hook on_written(MANA_AFTER_WRITE, [](const mana_hook_info& info) {
  found.note(MANA_AFTER_WRITE);
  found.durable += info.durable;
  found.writing_s += found.at[MANA_AFTER_WRITE] - found.at[MANA_BEFORE_WRITE];
});
const mana::hook on_resumed(MANA_RESUMED, [](const mana_hook_info&) {
  found.note(MANA_RESUMED);
  found.still_s += found.at[MANA_RESUMED] - found.at[MANA_LINE_FOUND];
});
const mana::hook on_restarted(MANA_RESTARTED, [](const mana_hook_info&) {
  ++found.restarted;
  found.note(MANA_RESTARTED);
});

}  // namespace

extern "C" int MPI_Finalize() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("checkpoints: %d asked for, %d durable, %d restarts; stood still for %.3f s, %.3f s of it writing\n",
                found.requested, found.durable, found.restarted, found.still_s, found.writing_s);
    std::fflush(stdout);
  }
  return PMPI_Finalize();
}
