#include <runtime/job/control_of_job.hpp>

#include <runtime/job/job.hpp>
#include <runtime/job/nodes/neighbours.hpp>
#include <runtime/job/nodes/node_images.hpp>
#include <runtime/job/own/own_requests.hpp>
#include <runtime/job/rank_end.hpp>
#include <runtime/job/save/parked_threads.hpp>
#include <runtime/job/start_failure.hpp>

#include <runtime/lower/life.hpp>
#include <runtime/lower/own_state.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <runtime/descriptors/base/low_descriptor_guard.hpp>
#include <runtime/process_state/end_watch.hpp>
#include <runtime/split/window/upper_half.hpp>
#include <runtime/store/store.hpp>

#include <mana/lower/signals.hpp>
#include <mana/vid/group_clock.hpp>

#include <mpi.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <set>
#include <system_error>

namespace mana::job {

namespace {

/// The wrapper library's list of clocks. The library's function reads one atomic, so it needs no thread pointer of the
/// upper half.
vid::group_clock* first_clock() {
  using getter = vid::group_clock* (*)();
  const std::uint64_t root = lower::the_bridge().upper_root;
  return root == 0 ? nullptr : reinterpret_cast<getter>(root)();
}

/// out: the longest time of any rank, in seconds
double longest(std::span<const control::rank_written> images, double control::rank_written::*seconds) {
  double most = 0;
  for (const control::rank_written& i : images) most = std::max(most, i.*seconds);
  return most;
}

store::phases phases_of(std::span<const control::rank_written> images, const control::checkpoint_times& times) {
  store::phases took;
  took.agree = times.agree;
  took.park = times.park;
  took.write = longest(images, &control::rank_written::seconds);
  took.sync = longest(images, &control::rank_written::sync_s);
  took.drain = times.drain;
  took.pause = times.park + times.drain + times.hold;
  took.total = times.total;
  return took;
}

/// out: the modes of all ranks, each once
std::string modes_of(std::span<const control::rank_written> images) {
  std::set<std::string> modes;
  for (const control::rank_written& i : images) modes.insert(i.mode);
  std::string text;
  for (const std::string& mode : modes) text += (text.empty() ? "" : "; ") + mode;
  return text;
}

store::manifest manifest_of(std::span<const control::rank_written> images, const control::checkpoint_times& times) {
  const run_record& record = this_job().record;
  store::manifest made{};
  made.mana = MANA_VERSION;
  made.mode = modes_of(images);
  made.phases_s = phases_of(images, times);
  std::set<std::uint64_t> bases;
  made.ranks = static_cast<std::uint32_t>(images.size());
  made.mpi = record.mpi_name;
  made.mpi_version = record.mpi_version;
  made.program = record.program;
  made.build_id = record.build_id;
  made.unix_time_s = std::time(nullptr);
  for (const control::rank_written& i : images) {
    const auto rank = static_cast<std::uint32_t>(i.rank);
    made.files.push_back({rank, store::rank_file_name(rank), i.file_bytes, i.memory_bytes, i.checksum,
                          i.kept_bytes, i.seconds, i.writer_bytes});
    bases.insert(i.builds_on.begin(), i.builds_on.end());
    for (const control::file_written& f : i.files) made.copies.push_back({f.name, f.bytes, f.checksum});
    for (const std::string& warning : i.warnings)
      made.warnings.push_back("rank " + std::to_string(i.rank) + ": " + warning);
  }
  made.builds_on.assign(bases.begin(), bases.end());
  return made;
}

constexpr int endpoint_tag = 0;     // the runtime sends no other messages on its communicator at that time

/// The generation that is being written, with its lock. Only the coordinator's thread uses it.
store::generation& generation_under_way() {
  static auto& generation = *new store::generation;
  return generation;
}

/// out: never 0
std::uint64_t draw_nonce() {
  std::uint64_t nonce = 0;
  while (nonce == 0)
    if (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce) throw std::system_error(errno, std::generic_category(), "getrandom");
  return nonce;
}

/// Never destroyed: the agent's thread may run until the process ends.
process_state::end_watch& ends_of_program() {
  static auto& watch = *new process_state::end_watch;
  return watch;
}

control::surroundings surroundings_of_job() {
  const lower::bridge& b = lower::the_bridge();
  const start_options& options = this_job().options;
  control::surroundings s{};
  s.rank = static_cast<int>(b.world_rank);
  s.size = static_cast<int>(b.world_size);
  s.directory = options.checkpoint_directory;
  s.interval_s = options.interval_s;
  s.limit_s = options.limit_s;
  s.stop_after_s = options.stop_after_s;
  s.requests = own_requests();
  s.end_signals = ends_of_program().fd();
  s.watch_ends = [](bool on) { on ? ends_of_program().begin() : ends_of_program().end(); };
  s.told_to_end = [] { return ends_of_program().told(); };
  s.want_image = [](bool wanted) { wanted ? meter_of_job().want() : meter_of_job().give_up(); };
  s.verbose = options.verbose;
  s.forked = options.forked;
  s.local = !options.local.empty();
  s.copy_every = options.copy_every;
  s.stored = [local = s.local](const control::commit_info& generation, control::stored_end end) {
    saver_of_job().settle(end.committed ? image::kept_image::in_directory
                          : end.on_nodes ? image::kept_image::on_node : image::kept_image::nowhere);
    if (local) settle_on_node(generation, end);
  };
  s.clock = options.clock;
  s.clock_trace = options.clock_trace;
  s.fan_out = options.fan_out;
  s.program = this_job().record.program;
  s.broadcast = [](void* bytes, int n) { PMPI_Bcast(bytes, n, MPI_BYTE, 0, real_mpi::own().world); };
  s.send = [](int to, const void* bytes, int n) {
    PMPI_Send(bytes, n, MPI_BYTE, to, endpoint_tag, real_mpi::own().world);
  };
  s.receive = [](int from, void* bytes, int n) {
    PMPI_Recv(bytes, n, MPI_BYTE, from, endpoint_tag, real_mpi::own().world, MPI_STATUS_IGNORE);
  };
  s.begin_barrier = real_mpi::begin_barrier;
  s.is_barrier_over = real_mpi::is_barrier_over;
  s.make_progress = real_mpi::make_progress;
  s.advance = [rank = s.rank] { return control::advance_of(rank, meter_of_job().bytes(), meter_of_job().done()); };
  s.clocks = first_clock;
  s.signal_threads = signal_threads;
  s.all_parked = all_parked;
  s.unparked = unparked;
  s.begin_generation = [directory = s.directory, least = newest_on_nodes() + 1]() mutable {
    store::generation& made = generation_under_way() = store::begin_generation(directory, least);
    least = made.number + 1;
    return control::commit_info{made.path, made.number, draw_nonce()};
  };
  s.commit = [](const control::commit_info&, std::span<const control::rank_written> images,
                const control::checkpoint_times& times) {
    store::commit(generation_under_way(), manifest_of(images, times));
  };
  s.tidy = [keep = options.keep] { store::tidy(generation_under_way(), keep); };
  s.abandon = [number = s.local ? store::number_after::taken : store::number_after::free](const control::commit_info&) {
    store::abandon(generation_under_way(), number);
  };
  return s;
}

}  // namespace

/// Never destroyed: if a process exits without MPI_Finalize, the control's threads run until then.
control::rank_control& control_of_job() noexcept {
  static auto& control = *new control::rank_control;
  return control;
}

namespace {

/// A restarted program that never calls MPI_Init leaves an MPI running that the runtime has started: its launcher waits
/// for the end of that MPI.
void leave() noexcept {
  control_of_job().leave();
  if (stage_of_program() == control::stage::before_mpi && real_mpi::is_running()) real_mpi::finish();
}

/// atexit() runs the last registered function first. So other ranks learn of the exit, and the threads stop, before
/// anything that they use is destroyed.
void leave_at_exit() { std::atexit(leave); }

void begin(const control::surroundings& s) {
  control_of_job().begin(s);
  lower::the_bridge().stage = static_cast<std::uint64_t>(s.where);
  leave_at_exit();
  split::set_exec_listener([](const char* path) {
    control_of_job().about_to_become(std::string("has become another program (") + path + ")");
  });
}

/// For a rank of an MPI that runs. If the rank cannot join the others, its job ends, because no checkpoint could include
/// it. The program may be in MPI_Init, through which no exception passes.
void begin_or_end(const control::surroundings& s) noexcept {
  try {
    begin(s);
  } catch (const control::unreachable& error) {
    end_alone(start_failure(exit_status::job_ended,
                            "rank 0, or the rank that relays for it, cannot be reached: " + error.code().message(),
                            "see why its process ended; if it still runs, look for a firewall between the nodes"));
  } catch (const std::exception& error) {
    end_alone(start_failure(exit_status::internal, std::string("this rank cannot join its job: ") + error.what()));
  }
}

/// For a program that calls no MPI: ranks write their images to the directory of checkpoints, and use the plainest
/// clock.
control::surroundings without_mpi(control::surroundings s, control::stage where) {
  s.where = where;
  s.outlived = where == control::stage::before_mpi;
  s.has_mpi = real_mpi::is_an_mpi();
  // only ranks that have agreed, or a single process, know what the nodes have
  s.local = s.local && !s.has_mpi;
  s.clock.clear();
  s.clock_trace.clear();
  s.make_progress = [] {};
  return s;
}

/// The process of rank 0 needs a descriptor for each rank.
constexpr int most_ranks_by_file = 512;

/// Collective over all ranks, over the live MPI.
void know_nodes() {
  find_neighbours();
  begin_node_images();
}

std::string why_not_by_file(std::optional<int> size) {
  static const std::string then = "; a checkpoint is possible as soon as all ranks have called MPI_Init";
  if (!size) return "the program has not called MPI_Init yet, and the launcher does not say how many ranks there are" + then;
  if (*size > most_ranks_by_file)
    return "the program has not called MPI_Init yet, which checkpoints of more than " + std::to_string(most_ranks_by_file) +
           " ranks need" + then;
  if (!this_job().options.local.empty())
    return "the program has not called MPI_Init yet: what the nodes have of earlier checkpoints (--local) is not known" + then;
  return {};
}

}  // namespace

control::stage stage_of_program() noexcept {
  return static_cast<control::stage>(lower::the_bridge().stage);
}

void begin_control() {
  know_nodes();
  control::surroundings s = surroundings_of_job();
  s.outlived = true;
  begin_or_end(s);
}

void begin_control_by_file() noexcept {
  const bool alone = !real_mpi::is_an_mpi();
  const std::optional<int> size = size_from_environment();
  lower::bridge& b = lower::the_bridge();
  b.world_rank = static_cast<std::uint32_t>(size ? rank_from_environment() : 0);
  b.world_size = static_cast<std::uint32_t>(size.value_or(1));
  b.stage = static_cast<std::uint64_t>(control::stage::before_mpi);
  // commands talk to the rank's own process until MPI starts
  if (this_job().options.as == taken_along::child) return;
  const std::string why_not = alone ? std::string() : why_not_by_file(size);
  if (!why_not.empty() && rank_from_environment() != 0) return;
  if (!why_not.empty()) b.world_size = 1;
  try {
    if (alone) know_nodes();
    control::surroundings s = without_mpi(surroundings_of_job(), control::stage::before_mpi);
    s.by_file = true;
    s.cannot = why_not;
    const descriptors::low_descriptor_guard guard;
    begin(s);
  } catch (const std::exception& error) {
    if (alone || this_job().options.verbose) say(std::string("mana: before MPI_Init no checkpoint is possible: ") + error.what());
  }
}

void begin_control_again(control::stage where) {
  if (where == control::stage::in_mpi) return begin_control();
  know_nodes();
  begin_or_end(without_mpi(surroundings_of_job(), where));
}

void begin_control_after_mpi() noexcept {
  try {
    begin(without_mpi(surroundings_of_job(), control::stage::after_mpi));
  } catch (const std::exception& error) {
    if (this_job().options.verbose) say(std::string("mana: after MPI_Finalize no checkpoint is possible: ") + error.what());
  }
}

}  // namespace mana::job
