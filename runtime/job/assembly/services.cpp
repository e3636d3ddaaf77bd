#include <runtime/job/services.hpp>

#include <runtime/job/control_of_job.hpp>
#include <runtime/job/fault_point.hpp>
#include <runtime/job/job.hpp>
#include <runtime/job/loaded_mpi.hpp>
#include <runtime/job/memory/perf_names.hpp>
#include <runtime/job/nodes/node_parity.hpp>
#include <runtime/job/own/own_ending.hpp>
#include <runtime/job/own/own_streams.hpp>
#include <runtime/job/rank_end.hpp>
#include <runtime/job/save/checkpoint_step.hpp>
#include <runtime/job/save/failing_drain.hpp>
#include <runtime/job/start_failure.hpp>

#include <runtime/lower/life.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <runtime/descriptors/base/low_descriptor_guard.hpp>
#include <runtime/split/traps/process/follow.hpp>
#include <runtime/split/traps/signals/lower_handlers.hpp>
#include <mana/lower/signals.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/split/traps/signals/signals.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace mana::job {

namespace {

void attach(const lower::upper_entry* entry, std::uint64_t root) {
  lower::the_bridge().upper = *entry;
  lower::the_bridge().upper_root = root;
  begin_control_by_file();
}

/// In a native run, a process that has not started MPI may leave MPI_Init to a forked child. Under mana, the child's
/// copy of the lower half does not run, so MPI_Init is refused there.
void refuse_in_copy() {
  if (!split::is_forked_copy()) return;
  say("mana: error: MPI_Init was called in a forked child that has executed no program\n"
      "      let the child execute the MPI program, or call MPI_Init in its parent");
  _exit(static_cast<int>(exit_status::not_mpi));
}

/// If the live MPI does not run, it prints that and ends the program in its own way.
void abort_job(int exit_code) {
  let_program_exit();
  real_mpi::abort_as_program(exit_code);
}

/// The live MPI may run already, after a restart of a program that had not called MPI_Init.
void refuse_other_mpi() {
  const auto failure = mpi_of_other_wrappers();
  if (!failure) return;
  if (!real_mpi::is_running()) end_alone(*failure);
  say(failure->text());
  abort_job(static_cast<int>(failure->status()));
}

/// The wrapper library reads this after MPI starts, and makes the same streams of the program's libc unbuffered.
void tell_of_streams() noexcept { lower::the_bridge().unbuffered = unbuffered_streams(); }

/// MPI already runs after a restart of a program that had not called MPI_Init. The runtime then started MPI with the
/// highest thread level, because the image does not know the level.
int init(int required, int* provided) {
  refuse_in_copy();
  refuse_other_mpi();
  split::end_following();
  if (real_mpi::is_running()) {
    control_of_job().end();
    const descriptors::low_descriptor_guard guard;
    begin_control();
    *provided = std::min(required, real_mpi::thread_level());
    this_job().record.thread_level = *provided;
    split::show_lower_handlers();
    tell_of_streams();
    return neutral::success;
  }
  const process_state::lower_half_start by_the_mpi;
  const int rc = start_mpi(required, provided);
  if (rc == neutral::success) this_job().record.thread_level = *provided;
  split::take_back_handlers();
  split::show_lower_handlers();
  split::bring_alternate_stack();
  tell_of_streams();
  name_functions_for_perf();
  return rc;
}

/// Of the tag bound, the program is told no more than every known live MPI has, or than the user allows: a restart can keep
/// it then.
int world_attribute(int which, int* flag, std::int64_t* value) {
  constexpr int told_tag_ub = 0, live_tag_ub = 6;
  const int rc = real_mpi::world_attribute(which == live_tag_ub ? told_tag_ub : which, flag, value);
  if (rc == neutral::success && which == told_tag_ub)
    *value = std::min<std::int64_t>(*value, this_job().options.tag_bound);
  return rc;
}

int finalize() {
  const std::uint64_t drains = control_of_job().drains();
  control_of_job().end();
  real_mpi::drain_end(drains);
  {
    const descriptors::low_descriptor_guard guard;
    begin_control_after_mpi();
  }
  return real_mpi::finish();
}

void fatal(const char* text) {
  say("mana: error: rank " + std::to_string(lower::the_bridge().world_rank) + ": " + text +
      "\n      this is a defect of mana: report it, with the lines above and the output of mana --version");
  std::abort();
}

void note(const char* text) { say(std::string("mana: ") + text); }

lower::wait_end clock_enter(const lower::collective_start* start) { return control_of_job().clock_enter(*start); }
void clock_retract() { control_of_job().clock_retract(); }
lower::wait_end clock_wait(const int* world_ranks, int n) { return control_of_job().clock_wait(world_ranks, n); }
void clock_wait_end() { control_of_job().clock_wait_end(); }

/// While it waits, it makes progress for other ranks, as MPI_Finalize does in a native run.
lower::wait_end clock_ending() {
  for (;;) {
    if (const auto end = control_of_job().ending()) return *end;
    if (!real_mpi::is_running()) continue;        // it has slept
    real_mpi::make_progress();
    sched_yield();
  }
}

int park_others() { return control_of_job().park_others(); }

int drain_begin() { return real_mpi::drain_begin(control_of_job().drains()); }
void drain_waits(const char* text) { control_of_job().drain_waits(text); }
void drained() { control_of_job().drained(); }
void not_drained(const char* why) { control_of_job().not_drained(why != nullptr ? why : ""); }

lower::services make_services() {
  lower::services table{};
  table.head = lower::head_of<lower::services>();
  real_mpi::fill_services(table);
  table.attach = attach;
  table.init = init;
  table.finalize = finalize;
  table.world_attribute = world_attribute;
  table.abort = abort_job;
  table.fatal = fatal;
  table.note = note;
  table.clock_enter = clock_enter;
  table.clock_retract = clock_retract;
  table.clock_wait = clock_wait;
  table.clock_wait_end = clock_wait_end;
  table.clock_ending = clock_ending;
  table.park_others = park_others;
  table.drain_begin = drain_begin;
  table.drain_turn = [] { return control_of_job().drain_turn(); };
  table.drain_waits = drain_waits;
  table.drained = drained;
  table.not_drained = not_drained;
  table.write_image = write_image;
  table.release = release;
  table.fault_point = fault_point_named;
  fail_as_asked(table);
  return table;
}

}  // namespace

const lower::services& the_services() noexcept {
  static const lower::services table = make_services();
  return table;
}

int start_mpi(int required, int* provided) {
  const descriptors::low_descriptor_guard guard;
  const int rc = real_mpi::start(required, provided);
  if (rc != neutral::success) return rc;
  begin_node_parity();
  begin_control();
  return rc;
}

}  // namespace mana::job
