#include <runtime/job/restart/restart.hpp>

#include <runtime/job/agreement.hpp>
#include <runtime/job/control_of_job.hpp>
#include <runtime/job/job.hpp>
#include <runtime/job/memory/lazy_check.hpp>
#include <runtime/job/memory/perf_names.hpp>
#include <runtime/job/memory/reserved_memory.hpp>
#include <runtime/job/memory/restored_image.hpp>
#include <runtime/job/nodes/clock_agreement.hpp>
#include <runtime/job/nodes/node_parity.hpp>
#include <runtime/job/nodes/shared_objects.hpp>
#include <runtime/job/own/standard_ends.hpp>
#include <runtime/job/program_identity.hpp>
#include <runtime/job/restart/choose_generation.hpp>
#include <runtime/job/restart/recorded_level.hpp>
#include <runtime/job/restart/restart_progress.hpp>
#include <runtime/job/sections/locks.hpp>
#include <runtime/job/sections/sections.hpp>
#include <runtime/job/services.hpp>

#include <runtime/lower/life.hpp>
#include <runtime/lower/real_mpi.hpp>
#include <runtime/lower/table.hpp>

#include <runtime/descriptors/base/low_descriptor_guard.hpp>
#include <runtime/descriptors/capture.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/split/traps/memory/lazy.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/upper_half.hpp>
#include <runtime/store/store.hpp>

#include <mana/core/fault_points.hpp>
#include <mana/lower/abi.hpp>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>

namespace mana::job {

namespace {

constexpr char map_remedy[] = "put it back, or say where it is now: mana restart DIR --map OLD=NEW";

start_failure as_failure(const files::image_error& error) {
  image_of_restart().damaged_file = error.file();
  switch (error.kind()) {
    case files::error_kind::missing: return start_failure(exit_status::checkpoint_missing, error.what());
    case files::error_kind::occupied: return start_failure(exit_status::memory_occupied, error.what());
    case files::error_kind::file: return start_failure(exit_status::surroundings_differ, error.what(), map_remedy);
    case files::error_kind::cpu:
    case files::error_kind::version: return start_failure(exit_status::surroundings_differ, error.what());
    case files::error_kind::io: return start_failure(exit_status::checkpoint_unreadable, error.what());
    case files::error_kind::not_own: return start_failure(exit_status::checkpoint_not_own, error.what());
    default: return start_failure(exit_status::checkpoint_damaged, error.what());
  }
}

/// The values that MPI's start leaves in the bridge. The image's bridge does not have them yet.
struct live_values {
  std::uint32_t size, rank;
  // MPI was started with this level of the newest image; nothing: with the highest level
  std::optional<int> thread_level;
  std::uint64_t predefined_real[neutral::predefined_limit];
};

std::string thread_level_name(int level) {
  switch (level) {
    case neutral::thread_single: return "MPI_THREAD_SINGLE";
    case neutral::thread_funneled: return "MPI_THREAD_FUNNELED";
    case neutral::thread_serialized: return "MPI_THREAD_SERIALIZED";
    default: return "MPI_THREAD_MULTIPLE";
  }
}

/// MPI starts before the image is restored, so that ranks that cannot be restored end together and know their ranks.
/// Meanwhile a temporary bridge takes the place of the image's.
live_values start_before_bridge() {
  void* const at = reinterpret_cast<void*>(lower::bridge_address);
  constexpr std::size_t bytes = lower::threads_address - lower::bridge_address;
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
    throw start_failure(exit_status::memory_occupied, "the window of the program is occupied in this process");
  constexpr int all_levels = neutral::thread_multiple;
  const std::optional<int> level = recorded_thread_level();
  int provided = 0;
  {
    const descriptors::low_descriptor_guard guard;
    const int rc = real_mpi::start(level && *level != no_thread_level ? *level : all_levels, &provided);
    if (rc != neutral::success)
      throw start_failure(exit_status::mpi_not_started, "the MPI library did not start",
                          "start restarts as programs: mpirun -n RANKS mana restart DIR");
    if (level && *level > provided)
      throw start_failure(exit_status::surroundings_differ, "the program was told that MPI supports " +
                          thread_level_name(*level) + "; " + real_mpi::library_name() + " " + real_mpi::library_version() +
                          " supports " + thread_level_name(provided) + " here", "restart over another MPI", met_by::all);
  }
  live_values live{};
  live.size = lower::the_bridge().world_size;
  live.rank = lower::the_bridge().world_rank;
  live.thread_level = level;
  std::memcpy(live.predefined_real, lower::the_bridge().predefined_real, sizeof live.predefined_real);
  munmap(at, bytes);
  return live;
}

/// A file that is no program is another one too.      errors: std::system_error
bool is_same_program(const run_record& record) {
  try {
    return program_identity(record.program) == record.build_id;
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::executable_format_error) throw;
    return false;
  }
}

void check_surroundings(const run_record& record) {
  const std::string& where = this_job().options.generation;
  struct stat ignored;
  if (stat(record.program.c_str(), &ignored) == 0 && !is_same_program(record))
    throw start_failure(exit_status::surroundings_differ, record.program + " is a different build from the one at the "
                                                                           "checkpoint " +
                        where, "put the program of the checkpoint back, or restart another checkpoint", met_by::all);
}

/// MPI starts before the checkpoint is chosen, with the level of the newest readable image. A node may have no image
/// yet, and be sent one: then MPI runs at a higher level than the program asked for, which is correct, but slower.
void check_thread_level(const run_record& record, const live_values& live) {
  if (!live.thread_level || record.thread_level == *live.thread_level) return;
  const std::string& where = this_job().options.generation;
  throw start_failure(exit_status::surroundings_differ,
                      where + ": the program asked MPI for a different thread level than in the newest checkpoint",
                      image_of_restart().is_on_node ? "restart without --local"
                                                    : "name this checkpoint: mana restart " + where);
}

/// Compares what the image needs with the live MPI, which may be another one than at the checkpoint.
void check_needs(const needs& needed) {
  live_offer live{real_mpi::library_name() + " " + real_mpi::library_version(), 0, real_mpi::supports_large_counts()};
  int known = 0;
  constexpr int tag_ub = 0;
  if (real_mpi::world_attribute(tag_ub, &known, &live.tag_bound) != neutral::success || known == 0)
    live.tag_bound = std::numeric_limits<int>::max();      // it does not say: its own errors will
  const std::string missing = unmet(needed, live, [](std::uint32_t code) {
    const auto object = real_mpi::predefined_object_of(code);
    return object ? object->bytes : std::int64_t{-1};
  });
  if (!missing.empty())
    throw start_failure(exit_status::surroundings_differ, missing, remedy_of_unmet(needed, live));
}

/// Runs a step; errors of descriptors become start_failure.
template <class F>
void with_descriptors(F&& step) {
  try {
    step();
  } catch (const descriptors::descriptor_error& error) {
    throw start_failure(exit_status::surroundings_differ, error.what(), map_remedy);
  }
}

/// The restored parts of the image, from steps that may fail.
struct restored : restored_parts {
  image::lazy_memory left;                                 // of a lazy restart: memory for later
  reserved_memory reserved;
};

/// in: r  shared memory without a name
int show_object(const image::region& r, const restored& parts) {
  if (descriptors::is_system_v(r.path)) split::note_attached(r.begin, r.end, split::attached_as::memory);
  return parts.files->mapped_at(r.begin);
}

int show_segment(const image::region& r, const restored& parts) {
  const int id = parts.files->segment_at(r.begin);
  if (id >= 0) split::note_attached(r.begin, r.end, split::attached_as::segment);
  return id;
}

/// From now on the program changes memory, and its changes are relative to this image. If the directory of checkpoints
/// lacks the image, no later image there can build on it: then the next image is complete.
void note_restored(const image::rank_image& own) {
  const restored_image& from = image_of_restart();
  const std::string file = store::rank_file_name(from.rank);
  if (from.is_global)
    saver_of_job().begin_from(own.about(), from.generation, file, own.regions(), observed_section,
                              this_job().options.moved);
}

/// errors: start_failure
void restore_async_rings() {
  try {
    process_state::restore_async_rings();
  } catch (const std::runtime_error& error) {
    throw start_failure(exit_status::surroundings_differ, error.what());
  }
}

/// in: finder  searches memory for held locks; null if the section "locks" lists them
image::memory_visitor visitor_of(const image::rank_image& own, restored& parts, split::lock_finder* finder, restart_progress& progress) {
  image::memory_visitor visitor;
  visitor.filled = [&progress](std::uint64_t bytes) { progress.add(bytes); };
  visitor.object_of = [&](const image::region& r) { return show_object(r, parts); };
  visitor.contents_of = [&](const image::region& r) { return parts.files->contents_at(r.begin); };
  visitor.segment_of = [&](const image::region& r) { return show_segment(r, parts); };
  visitor.may_be_written = [&](const image::region& r) { return parts.files->may_be_written(r.begin); };
  parts.reserved.listen(visitor);
  visitor.private_file_of = [&](const image::region& r) { return parts.files->private_file_at(r.begin); };
  visitor.begin = [] {
    restore_async_rings();
    process_state::restore_mappings();
    fault_point(fault::point::memory_mapped);
  };
  if (finder != nullptr)
    visitor.see = [finder](auto memory, const image::region& of) { finder->look(memory, {of.begin, of.end}); };
  visitor.end = [&own] {
    note_restored(own);
    fault_point(fault::point::memory_filled);
  };
  return visitor;
}

/// errors: image_error, start_failure
void restore_lazily(image::rank_image& own, restored& parts, restart_progress& progress) {
  parts.left = own.restore_lazily(visitor_of(own, parts, nullptr, progress), this_job().options.moved, [](const image::region& r) {
    return !process_state::is_advised(r.begin, r.end);
  });
  if (this_job().options.verbose && !parts.left.no_execution.empty())
    say("mana: note: " + parts.left.no_execution + " is on a file system that is mounted noexec: its memory is read before the "
        "program runs");
  for (const image::page_range& r : parts.left.mapped) split::note_lazy({r.begin, r.end});
  for (const image::page_range& r : parts.left.cut) split::note_cut({r.begin, r.end});
}

void restore_memory(image::rank_image& own, restored& parts) {
  restart_progress progress("memory is read", own.about().memory_bytes);
  with_descriptors([&] { parts.files->fill(); });
  restore_sections(image::restored_when::memory, own, parts);
  const bool locks_known = parts.locks.has_value();
  if (locks_known && this_job().options.lazy) return restore_lazily(own, parts, progress);
  if (this_job().options.lazy)
    say("mana: note: " + own.path() + " does not list the held locks: its memory is read before the program runs");
  split::lock_finder finder(parts.thread_ids);
  own.restore_memory(visitor_of(own, parts, locks_known ? nullptr : &finder, progress), this_job().options.moved);
  if (!locks_known) parts.locks = finder.finish();
}

/// As together(). A checkpoint that is damaged is marked, so that it is not restarted again.
void restore_together(const std::function<void()>& step) {
  together([&] {
    try {
      step();
    } catch (const start_failure& failure) {
      if (failure.status() != exit_status::checkpoint_damaged) throw;
      mark_restart_failed(std::string(": ") + failure.what());
      throw start_failure(failure.status(), failure.what(), "later restarts skip this checkpoint: run mana restart "
                                                            "again, which takes an older one if it exists");
    }
  });
}

/// The steps that may fail on one rank: all ranks check before any rank changes memory.
void check_and_restore(std::unique_ptr<image::rank_image>& own, restored& parts, const live_values& live) {
  restore_together([&] {
    try {
      own = std::make_unique<image::rank_image>(image_of_restart().path(), image_of_restart().roots);
      check_sections(*own);
      own->check_program_files(this_job().options.moved);
      restore_sections(image::restored_when::opened, *own, parts);
      this_job().record = parts.record;
    } catch (const files::image_error& error) {
      throw as_failure(error);
    }
    this_job().record.program = this_job().options.moved(this_job().record.program);
    check_surroundings(this_job().record);
    check_thread_level(this_job().record, live);
    check_needs(parts.needed);
  });
  fault_point(fault::point::image_opened);
  together([&] {
    if (live.rank == 0) parts.input = this_job().options.input;
    with_descriptors([&] { restore_sections(image::restored_when::descriptors, *own, parts); });
  });
  fault_point(fault::point::descriptors_known);
  const std::vector<offered_object> offers = exchange_objects(*parts.files);
  together([&] { with_descriptors([&] { share_objects(*parts.files, offers); }); });
  fault_point(fault::point::descriptors_shared);
  restore_together([&] {
    try {
      restore_memory(*own, parts);
    } catch (const files::image_error& error) {
      throw as_failure(error);
    }
  });
}

/// Sets the program's view of /proc/self/exe.
void name_program(const files::path_map& moved) {
  split::saved_state& state = split::saved();
  const std::string path = moved(state.program);
  if (path.size() >= sizeof state.program)
    throw start_failure(exit_status::usage, "--map: the path of the program becomes too long: " + path);
  std::memcpy(state.program, path.c_str(), path.size() + 1);
}

void apply(const live_values& live) {
  lower::bridge& b = lower::the_bridge();
  b.service = &the_services();
  b.mpi = &lower::the_mpi_slots();
  std::memcpy(b.predefined_real, live.predefined_real, sizeof live.predefined_real);
  b.current.store(lower::phase::restoring);
  process_state::begin();
}

}  // namespace

void restart_program() {
  descriptors::move_launcher_descriptor();
  const live_values live = start_before_bridge();
  split::tell_first_ids(live.size == 1);
  std::optional<standard_ends> without_program(std::in_place);
  begin_node_parity();
  restart_hold hold = choose_generation(live.rank, live.size);
  fault_point(fault::point::generation_chosen);
  std::unique_ptr<image::rank_image> own;
  restored parts;
  check_and_restore(own, parts, live);
  apply(live);
  restore_together([&] {
    name_program(this_job().options.moved);
    restore_sections(image::restored_when::registers, *own, parts);
    fault_point(fault::point::registers_fitted);
    const std::string warning = "mana: warning: rank " + std::to_string(live.rank) + ": ";
    for (const std::string& lost : parts.reserved.warnings()) say(warning + lost);
    with_descriptors([&] {
      for (const std::string& note : parts.files->finish())
        say(warning + note);
    });
  });
  if (!parts.left.unread.empty()) begin_lazy_check(std::move(own), std::move(parts.left));
  parts.left = {};
  own.reset();
  hold.release();
  fault_point(fault::point::memory_restored);
  without_program.reset();
  split::reinstall();
  {
    const descriptors::low_descriptor_guard guard;
    begin_control_again(stage_of_program());
  }
  fault_point(fault::point::control_joined);
  name_functions_for_perf();
  split::restart_threads(*parts.locks);
  fault_point(fault::point::threads_restarted);
  continue_clocks_together();
  if (stage_of_program() == control::stage::after_mpi) real_mpi::finish();
  split::resume_main();
}

}  // namespace mana::job
