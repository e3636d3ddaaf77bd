#include <runtime/job/save/checkpoint_step.hpp>

#include <runtime/job/control_of_job.hpp>
#include <runtime/job/job.hpp>
#include <runtime/job/job_claim.hpp>
#include <runtime/job/loaded_mpi.hpp>
#include <runtime/job/memory/lazy_check.hpp>
#include <runtime/job/nodes/neighbours.hpp>
#include <runtime/job/nodes/node_images.hpp>
#include <runtime/job/nodes/node_parity.hpp>
#include <runtime/job/save/mapped_kinds.hpp>
#include <runtime/job/save/pack_threads.hpp>
#include <runtime/job/sections/locks.hpp>
#include <runtime/job/sections/sections.hpp>
#include <runtime/job/start_failure.hpp>

#include <runtime/lower/life.hpp>
#include <runtime/split/traps/signals/signals.hpp>

#include <mana/core/fault_points.hpp>

#include <runtime/descriptors/capture.hpp>
#include <runtime/image/format/regions.hpp>
#include <runtime/image/write/image_writer.hpp>
#include <runtime/process_state/children.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/process_state/signal_hold.hpp>
#include <runtime/split/traps/memory/lazy.hpp>
#include <runtime/split/window/program_clocks.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/shown_memory.hpp>
#include <runtime/split/window/shown_process.hpp>
#include <runtime/split/window/upper_half.hpp>
#include <runtime/store/store.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace mana::job {

namespace {

/// Adds the losses to the warnings, or ignores them, as the policy says. errors: std::runtime_error if the policy
/// refuses a loss
void judge(loss_policy policy, const char* option, const std::vector<std::string>& lost,
           std::vector<std::string>& warnings) {
  if (policy == loss_policy::refuse && !lost.empty())
    throw std::runtime_error(lost.front() + " (" + option + " refuse)");
  if (policy == loss_policy::warn) warnings.insert(warnings.end(), lost.begin(), lost.end());
}

/// Memory that is mapped from an image counts as the program's own memory.
void forget_images(std::vector<image::region>& regions) {
  for (image::region& r : regions)
    if (r.is_file && !r.shared && split::is_lazy({r.begin, r.end})) {
      r.path.clear();
      r.offset = 0;
    }
}

/// Memory of windows becomes shared memory without a file: a restart begins with memory of the rank's own (INV-126).
void forget_files_of_windows(std::vector<image::region>& regions) {
  for (image::region& r : regions)
    if (r.shared && split::is_own_in_images({r.begin, r.end}, r.path)) {
      r.path.clear();
      r.offset = 0;
    }
}

/// The image stores contents of files without a name like memory. If such a file is mapped too, its length is known
/// here.
void add_files(descriptors::captured& files, std::vector<image::region>& regions) {
  for (image::region& r : regions)
    if (const auto known = files.lengths.find({r.device, r.inode}); r.shared && known != files.lengths.end())
      r.file_bytes = known->second;
  std::ranges::move(files.contents, std::back_inserter(regions));
  std::ranges::sort(regions, {}, &image::region::begin);
}

/// The contents of the image, and warnings about parts of the process that it cannot hold.
struct to_save {
  image::image_plan plan;
  std::vector<std::string> warnings;
};

to_save what_to_save(const std::string& generation, process_state::captured process) {
  const lower::bridge& b = lower::the_bridge();
  const split::saved_state& state = split::saved();
  split::note_dispositions();
  split::note_shown();
  std::error_code none;                // the directory may have been deleted
  this_job().record.directory = std::filesystem::current_path(none).string();
  to_save all;
  all.plan.path = generation + "/" + store::rank_file_name(b.world_rank);
  all.plan.rank = b.world_rank;
  all.plan.world_size = b.world_size;
  all.plan.regions = image::upper_regions(state.fixed_begin, state.fixed_end);
  forget_images(all.plan.regions);
  forget_files_of_windows(all.plan.regions);
  // With --local, each image of a node moves alone, so images of one node share no files.
  if (ranks_of_node().size() > 1 && !control_of_job().local()) {
    all.plan.node = name_of_node();
    all.plan.node_ranks = static_cast<unsigned>(ranks_of_node().size());
  }
  all.plan.pack_threads = pack_threads();
  all.plan.observer = std::make_shared<lock_section>();
  all.plan.meter = &meter_of_job();
  all.plan.may_be_advised = state.has_advice != 0;
  all.plan.needed = image::limited_to(this_job().record.cpu, image::features_here());
  descriptors::captured open_files = descriptors::capture(nameless(all.plan.regions), all.plan.regions,
                                                       not_writable(all.plan.regions), private_files(all.plan.regions));
  add_files(open_files, all.plan.regions);
  all.plan.sections = save_sections({this_job().record, open_files, process});
  split::note_clocks();
  all.warnings = std::move(open_files.warnings);
  warn_of_kernels_memory(all.plan.regions, all.warnings);
  all.warnings.insert(all.warnings.end(), process.warnings.begin(), process.warnings.end());
  judge(this_job().options.children, "--children", process.children, all.warnings);
  judge(this_job().options.sockets, "--sockets", open_files.sockets, all.warnings);
  return all;
}

using time = std::chrono::steady_clock::time_point;

control::rank_written as_written(const image::saved_image& saved, std::vector<std::string> warnings, time begin) {
  finish_lazy_check();
  const image::write_result& w = saved.written;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::vector<control::file_written> files;
  for (const image::made_copy& c : saved.copies) files.push_back({c.name, c.bytes, c.checksum});
  return {static_cast<int>(lower::the_bridge().world_rank), w.file_bytes, w.memory_bytes, w.checksum, w.kept_bytes,
          saved.builds_on, saved.mode, std::move(warnings), took.count(), w.sync_s, w.writer_bytes, std::move(files)};
}

/// Writes the image while the program waits.
lower::outcome write_here(to_save all, const control::commit_info& generation) {
  const time begin = std::chrono::steady_clock::now();
  const image::saved_image saved = saver_of_job().write(std::move(all.plan), generation.generation);
  const lower::outcome how = control_of_job().written(as_written(saved, std::move(all.warnings), begin));
  saver_of_job().settle(how == lower::outcome::resumed ? image::kept_image::in_directory : image::kept_image::nowhere);
  return how;
}

/// How an image was written, for the manifest.
const char* words_of_node(bool copies) { return copies ? ", on the node first" : ", on the node alone"; }

const std::string not_on_node = "the image is not on the rank's node: ";

/// Chooses where a forked process writes: on the node, or, with a warning, in the directory of checkpoints.
/// out: true: on the node  errors: std::runtime_error: neither is possible
bool choose_place(to_save& all, const control::commit_info& generation) {
  if (!control_of_job().local()) return false;
  const bool copies = control_of_job().copies();
  try {
    all.plan.path = begin_on_node(generation);
    all.plan.limited = false;
    all.plan.for_directory = copies;
    return true;
  } catch (const std::exception& error) {
    if (!copies) throw std::runtime_error(not_on_node + error.what());
    all.warnings.push_back(not_on_node + error.what());
    return false;
  }
}

/// Writes the image on this rank's node.
/// in:  all  stays valid for another attempt elsewhere; a failure is added to its warnings
/// out: nothing if the image cannot be on the node
std::optional<image::saved_image> write_on_node(to_save& all, const control::commit_info& generation, parity_turn& parity) {
  const bool copies = control_of_job().copies();
  try {
    image::image_plan plan = all.plan;
    plan.path = begin_on_node(generation);
    plan.limited = false;
    plan.for_directory = copies;
    image::saved_image saved = saver_of_job().write(std::move(plan), generation.generation);
    // before parity: a restart trusts an image with parity, and makes a sidecar for it
    finish_lazy_check();
    saved.mode += words_of_node(copies);
    const store::parity_group group = parity.make(directory_on_node(), generation, saved.written.checksum, all.warnings);
    if (!group.ranks.empty())
      saved.mode +=
          ", " + std::to_string(group.parity) + " of " + std::to_string(group.ranks.size()) + " can be rebuilt";
    finish_on_node(generation, saved, all.warnings, group);
    return saved;
  } catch (const std::exception& error) {
    parity.pass();
    abandon_on_node(generation);
    // the list of changes since the previous image was consumed, and is lost
    saver_of_job().settle(image::kept_image::nowhere);
    all.plan.observer = std::make_shared<lock_section>();
    all.warnings.push_back(not_on_node + error.what());
    return std::nullopt;
  }
}

/// Writes the image on the node while the program waits until all ranks' images are on their nodes. If this rank's
/// image cannot be on its node, it goes to the directory of checkpoints, if images are copied there.
/// errors: std::runtime_error
lower::outcome write_on_node_and_copy(to_save all, const control::commit_info& generation, parity_turn& parity) {
  const time begin = std::chrono::steady_clock::now();
  const auto on_node = write_on_node(all, generation, parity);
  const bool copies = control_of_job().copies();
  if (!on_node && !copies) throw std::runtime_error(all.warnings.back());
  if (!on_node) {
    const image::saved_image saved = saver_of_job().write(std::move(all.plan), generation.generation);
    control_of_job().stored({as_written(saved, std::move(all.warnings), begin), {}});
    return control_of_job().copied();
  }
  if (!copies) {
    control_of_job().stored({as_written(*on_node, std::move(all.warnings), begin), {}});
    return control_of_job().copied();
  }
  copy_from_node_later(generation, [begin, saved = *on_node, warnings = std::move(all.warnings)](const std::string& failure) {
    control_of_job().stored({as_written(saved, warnings, begin), failure});
  });
  return control_of_job().copied();
}

/// out: why the copy failed; empty if it did not
std::string finish_and_copy(const image::saved_image& saved, const control::commit_info& generation,
                            const std::vector<std::string>& warnings, bool copies) {
  finish_lazy_check();
  try {
    finish_on_node(generation, saved, warnings, {});
    if (copies) copy_from_node(generation);
    return {};
  } catch (const std::exception& error) {
    abandon_on_node(generation);
    return error.what();
  }
}

/// Forks a process that holds this rank's memory and writes it. The program waits until all ranks have forked theirs.
lower::outcome write_aside(to_save all, const control::commit_info& generation) {
  const time begin = std::chrono::steady_clock::now();
  const bool local = choose_place(all, generation);
  const bool copies = control_of_job().copies();
  const auto done = [begin, local, copies, generation, warnings = std::move(all.warnings)](const image::saved_image& saved,
                                                                                   const std::string& failure) {
    if (local && !failure.empty()) abandon_on_node(generation);
    if (!local || !failure.empty()) return control_of_job().stored({as_written(saved, warnings, begin), failure});
    image::saved_image on_node = saved;
    on_node.mode += words_of_node(copies);
    const std::string why = finish_and_copy(on_node, generation, warnings, copies);
    control_of_job().stored({as_written(on_node, warnings, begin), why});
  };
  try {
    saver_of_job().write_aside(std::move(all.plan), generation.generation, done);
  } catch (...) {
    if (local) abandon_on_node(generation);
    throw;
  }
  fault_point(fault::point::copied);
  return control_of_job().copied();
}

/// Looks at facts that only the calling thread can see. out: failure  the reason of an error, or empty
process_state::captured look_at_process(std::string& failure) noexcept {
  try {
    return process_state::capture();
  } catch (const std::exception& error) {
    failure = error.what();
    return {};
  }
}

/// Before MPI_Init, nothing tells which of a rank's processes will call it: of a shell and its children, one is a rank.
/// INV-79 a program without MPI is not saved while it stands and waits for a child process, unless --children ignore
/// says so. The work of such a program is the child's work, and after a restart the child would not exist. Other
/// children are named in warnings.
void refuse_with_children(const process_state::captured& process) {
  if (process.children.empty()) return;
  if (!real_mpi::is_an_mpi()) {
    if (this_job().options.children == loss_policy::ignore || !process_state::waits_for_child()) return;
    throw std::runtime_error(process.children.front() + ", and the program waits for it; write mana run before the "
                                                        "child's program, or exec it (--children ignore saves the "
                                                        "program anyway)");
  }
  if (stage_of_program() != control::stage::before_mpi) return;
  throw std::runtime_error(
      "MPI_Init has not been called yet, and the process has children: the MPI program may be one of them, and would "
      "not be saved. A checkpoint is possible after MPI_Init on all ranks");
}

/// in: initial  of the thread that may call MPI
lower::outcome write_and_agree(process_state::captured process, const std::string& failure, lent_thread& initial) {
  meter_of_job().begin(0);
  fault_point(fault::point::before_write);
  lower::outcome how = lower::outcome::given_up;
  parity_turn parity(control_of_job().local(), initial);
  try {
    if (!failure.empty()) throw std::runtime_error(failure);
    refuse_with_children(process);
    const control::commit_info generation = control_of_job().generation();
    if (!real_mpi::is_an_mpi())
      if (const auto failure = mpi_without_wrappers()) throw std::runtime_error(failure->what() + ("; " + failure->remedy()));
    to_save all = what_to_save(generation.generation_path, std::move(process));
    how = control_of_job().forked()  ? write_aside(std::move(all), generation)
          : control_of_job().local() ? write_on_node_and_copy(std::move(all), generation, parity)
                                     : write_here(std::move(all), generation);
  } catch (const std::exception& error) {
    parity.pass();
    saver_of_job().settle(image::kept_image::nowhere);
    how = control_of_job().not_written(error.what());
  }
  fault_point(how == lower::outcome::resumed ? fault::point::committed : fault::point::given_up);
  return how;
}

/// At its end the live MPI may print about requests that never complete (UCX does, on standard output). The program's
/// requests are all in the image, so this is not the program's output, and it could land in a file of the program with
/// this number.
void keep_quiet() noexcept {
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
}

/// The program is saved, and never runs here again; a restart may start at once. All ranks end with the same status, so
/// the job has that status, whichever rank's status the launcher takes. If the launcher ends the other ranks when it
/// sees the status, these have nothing left to do, because MPI's end is collective.
[[noreturn]] void end_stopped() {
  control_of_job().end();
  release_claim();
  const int status = this_job().options.stopped_status;
  if (lower::the_bridge().world_rank == 0 && status != 0)
    say("mana: the job was saved and stopped on request (status " + std::to_string(status) +
        "): mana restart " + this_job().options.checkpoint_directory + " continues it");
  keep_quiet();
  if (real_mpi::is_running()) real_mpi::finish();
  std::_Exit(status);
}

}  // namespace

/// A thread of the lower half writes the image. The calling thread's stack is saved, and meanwhile changes only below
/// its saved part. If no thread can be created (a limit of processes or memory), no image is written, and the calling
/// thread reports that.
lower::outcome write_image() {
  lower::outcome how = lower::outcome::given_up;
  const process_state::signal_hold hold;
  std::string failure;
  process_state::captured process = look_at_process(failure);
  lent_thread initial;
  const auto work = [&] { how = write_and_agree(std::move(process), failure, initial); };
  try {
    initial.lend(work);
  } catch (const std::system_error& error) {
    failure = std::string("there is no thread to write the image: ") + error.what();
    work();
  }
  if (how == lower::outcome::resumed && control_of_job().stop_asked()) end_stopped();
  return how;
}

void release(lower::outcome how) {
  if (how == lower::outcome::restarted) {
    ++lower::the_bridge().restarts;
    descriptors::start_timers(split::left_since_line);
    for (const std::string& what : process_state::continue_process())
      say("mana: warning: rank " + std::to_string(lower::the_bridge().world_rank) + ": " + what);
  }
  fault_point(how == lower::outcome::restarted ? fault::point::objects_rebuilt : fault::point::resuming);
  control_of_job().release();
}

}  // namespace mana::job
