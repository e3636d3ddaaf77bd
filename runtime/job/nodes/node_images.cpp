#include <runtime/job/nodes/node_images.hpp>

#include <runtime/files/own_table.hpp>
#include <runtime/job/agreement.hpp>
#include <runtime/job/control_of_job.hpp>
#include <runtime/job/job.hpp>
#include <runtime/job/nodes/neighbours.hpp>
#include <runtime/job/start_failure.hpp>
#include <runtime/job/task_thread.hpp>

#include <runtime/lower/own_state.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/store/directory_lock.hpp>
#include <runtime/store/nodes/local_choice.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store_id.hpp>

#include <mana/core/fault_points.hpp>
#include <mana/lower/abi.hpp>

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mana::job {

namespace {

/// The state of this rank's images on its node. Members without a lock are used by one thread at a time: checkpoints
/// follow each other, and a checkpoint is settled only after its image is written.
struct node_place {
  // of the images that belong to this job's directory of checkpoints; empty: none
  std::string directory;
  std::string problem;                       // why `directory` is empty; empty: images on nodes were not asked for
  std::uint64_t newest_found = 0;            // generation, known to rank 0: the newest on any node when the job began
  std::uint64_t newest_on_nodes = 0;         // generation: the newest that all ranks have
  store::local_image current;                // the image that is being written or copied
  std::uint64_t begun = 0;                   // generation: files with this number and this rank belong to this job
  std::uint64_t newest_whole = 0;            // generation: the newest image of this rank with a sidecar
  std::uint64_t left = 0;                    // generation that was given up, and whose image stays for now; 0: none
};

struct writing {
  std::mutex lock;
  std::uint64_t generation = 0;              // 0: none
  std::optional<control::stored_end> early;  // the checkpoint's end, if it was known before the image was complete
};

/// Never destroyed: a thread may use it until the process ends.
node_place& here() noexcept {
  static auto& place = *new node_place;
  return place;
}

writing& under_way() noexcept {
  static auto& image = *new writing;
  return image;
}

task_thread& worker() {
  static auto& thread = *new task_thread(this_job().options.nice);
  return thread;
}

std::uint32_t own_rank() noexcept { return lower::the_bridge().world_rank; }

/// errors: store_error
std::string find_place(const std::string& id, const std::string& node) {
  const std::string directory = store::local_directory(this_job().options.local, node) + "/" + id;
  store::prepare_local(directory);
  return directory;
}

std::uint64_t newest_in(const std::string& directory) {
  const auto files = store::local_files(directory);
  return files.empty() ? 0 : files.back().first;
}

bool is_in_directory(std::uint64_t generation) {
  return store::is_complete({this_job().options.checkpoint_directory + "/" + image::generation_name(generation), generation});
}

/// True if another job has taken the number.
bool is_being_written(std::uint64_t generation) {
  const auto all = files::own_directory::open(this_job().options.checkpoint_directory);
  return store::directory_lock::state_of_generation(all, generation) == store::lock_end::busy;
}

/// in: needed  generations to which images of the newest generation refer, on any rank
void remove_images_of(std::uint32_t rank, std::span<const std::uint64_t> needed, std::uint64_t newest_on_nodes,
                      std::uint64_t newest_global) {
  const std::uint64_t newest = std::max(newest_on_nodes, newest_global);
  std::vector<store::own_image> sound;
  for (const store::local_image& i : store::find_local(here().directory, rank).sound)
    sound.push_back({i.generation, is_in_directory(i.generation), i.builds_on});
  for (const std::uint64_t generation : store::superfluous_local(sound, needed, newest_on_nodes, newest_global))
    if (!is_being_written(generation)) store::remove_local(here().directory, generation, rank);
  const auto is_sound = [&](std::uint64_t generation) {
    return std::any_of(sound.begin(), sound.end(), [&](const store::own_image& i) { return i.generation == generation; });
  };
  for (const auto& [generation, of] : store::local_files(here().directory))
    if (of == rank && generation < newest && !is_sound(generation) && !is_being_written(generation))
      store::remove_local(here().directory, generation, rank);
}

/// Removes superfluous images of this rank. The first rank of a node also removes those of ranks that are now on other
/// nodes.
void remove_superfluous(std::span<const std::uint64_t> needed, std::uint64_t newest_on_nodes, std::uint64_t newest_global) {
  std::set<std::uint32_t> whose{own_rank()};
  if (own_rank() == *ranks_of_node().begin())
    for (const auto& [generation, rank] : store::local_files(here().directory))
      if (!ranks_of_node().contains(rank)) whose.insert(rank);
  for (const std::uint32_t rank : whose) remove_images_of(rank, needed, newest_on_nodes, newest_global);
}

store::local_image description(const control::commit_info& generation, const image::saved_image& saved,
                               const std::vector<std::string>& warnings) {
  const run_record& record = this_job().record;
  store::local_image about;
  about.generation = generation.generation;
  about.nonce = generation.nonce;
  about.rank = own_rank();
  about.ranks = lower::the_bridge().world_size;
  about.bytes = saved.written.file_bytes;
  about.memory_bytes = saved.written.memory_bytes;
  about.checksum = saved.written.checksum;
  about.builds_on = saved.builds_on;
  about.mpi = record.mpi_name;
  about.mpi_version = record.mpi_version;
  about.program = record.program;
  about.build_id = record.build_id;
  about.mode = saved.mode;
  about.warnings = store::limited_warnings(warnings);
  return about;
}

/// If a rank or a node is lost, the checkpoint ends for the others, and they do not know how far each rank came. The
/// checkpoint may be complete, if nothing is lost or the loss can be rebuilt. So a complete image stays until the next
/// checkpoint has ended.
void give_up_on_node(std::uint64_t generation) {
  node_place& place = here();
  if (place.left != 0) store::remove_local(place.directory, place.left, own_rank());
  place.left = place.newest_whole == generation ? generation : 0;
  if (place.left == 0 && place.begun == generation) store::remove_local(place.directory, generation, own_rank());
}

/// in: generation  whose image no thread writes
void settle_later(std::uint64_t generation, control::stored_end end) {
  worker().post([generation, end = std::move(end)] {
    node_place& place = here();
    if (end.on_nodes) place.newest_on_nodes = generation;
    try {
      files::in_own_table([&] {
        if (!end.committed && !end.on_nodes) give_up_on_node(generation);
        else if (end.is_known) remove_superfluous(end.builds_on, place.newest_on_nodes, end.committed ? generation : 0);
      });
    } catch (const std::exception&) {
      // The next checkpoint removes files that cannot be removed now.
    }
  });
}

bool is_being_written_here(const control::commit_info& generation) {
  const std::lock_guard hold(under_way().lock);
  return under_way().generation == generation.generation;
}

void end_writing(const control::commit_info& generation, bool is_whole) {
  std::optional<control::stored_end> early;
  {
    const std::lock_guard hold(under_way().lock);
    under_way().generation = 0;
    early = std::exchange(under_way().early, std::nullopt);
  }
  if (is_whole) here().newest_whole = generation.generation;
  if (early) settle_later(generation.generation, std::move(*early));
}

}  // namespace

void begin_node_images() {
  if (this_job().options.local.empty()) return;
  node_place& place = here() = {};
  std::string id;
  const auto no_id = try_together([&] {
    if (own_rank() == 0) id = store::make_store_id(this_job().options.checkpoint_directory);
  });
  id = from_first(id);
  std::string node;
  const auto failed = try_together([&] {
    node = store::node_name();
    if (!no_id) place.directory = find_place(id, node);
  });
  if (no_id) place.problem = no_id->text;
  else if (place.directory.empty()) place.problem = "--local: this rank's node has no directory for images";
  if (own_rank() == 0 && (no_id || failed))
    say("mana: warning: --local: rank " + std::to_string(no_id ? no_id->rank : failed->rank) + ": " +
        (no_id ? no_id->text : failed->text) + "; its images go to " + this_job().options.checkpoint_directory +
        " while the program waits");
  const std::uint64_t own_newest = place.directory.empty() ? 0 : newest_in(place.directory);
  PMPI_Reduce(&own_newest, &place.newest_found, 1, MPI_UINT64_T, MPI_MAX, 0, real_mpi::own().world);
}

const std::string& directory_on_node() noexcept { return here().directory; }

std::uint64_t newest_on_nodes() noexcept { return here().newest_found; }

std::string begin_on_node(const control::commit_info& generation) {
  worker().drain();
  if (here().directory.empty()) throw store::store_error(store::error_kind::unwritable, here().problem);
  const std::string path = store::begin_local(here().directory, generation.generation, own_rank());
  here().begun = generation.generation;
  const std::lock_guard hold(under_way().lock);
  under_way().generation = generation.generation;
  under_way().early.reset();
  return path;
}

void finish_on_node(const control::commit_info& generation, const image::saved_image& saved,
                    const std::vector<std::string>& warnings, const store::parity_group& group) {
  here().current = description(generation, saved, warnings);
  here().current.group = group;
  store::finish_local(here().directory, here().current);
  fault_point(fault::point::on_node);
  end_writing(generation, true);
  control_of_job().on_node();
}

void abandon_on_node(const control::commit_info& generation) noexcept {
  if (!is_being_written_here(generation)) return;
  if (here().begun == generation.generation) store::remove_local(here().directory, generation.generation, own_rank());
  end_writing(generation, false);
}

void copy_from_node(const control::commit_info& generation) {
  fault_point(fault::point::copying);
  store::copy_to_global(here().directory, here().current,
                        generation.generation_path + "/" + store::rank_file_name(own_rank()),
                        this_job().options.max_rate, &meter_of_job());
}

void copy_from_node_later(const control::commit_info& generation, std::function<void(const std::string&)> done) {
  worker().post([generation, done = std::move(done)] {
    std::string failure;
    try {
      files::in_own_table([&] { copy_from_node(generation); });
    } catch (const std::exception& error) {
      failure = error.what();
    }
    done(failure);
  });
}

void settle_on_node(const control::commit_info& generation, control::stored_end end) {
  if (here().directory.empty()) return;
  {
    const std::lock_guard hold(under_way().lock);
    if (under_way().generation == generation.generation) {
      under_way().early = std::move(end);
      return;
    }
  }
  settle_later(generation.generation, std::move(end));
}

}  // namespace mana::job
