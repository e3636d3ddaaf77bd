#include <runtime/job/nodes/node_parity.hpp>

#include <runtime/job/agreement.hpp>
#include <runtime/job/job.hpp>
#include <runtime/job/nodes/mpi_transport.hpp>
#include <runtime/job/start_failure.hpp>

#include <runtime/lower/own_state.hpp>

#include <mana/core/fault_points.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/redundancy/encode.hpp>
#include <runtime/redundancy/groups.hpp>
#include <runtime/store/nodes/local_parity.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace mana::job {

namespace {

struct protection {
  std::optional<redundancy::membership> own;     // nothing: no redundancy was asked for
  std::vector<std::string> warnings;             // of rank 0, for each checkpoint: what the loss of a node costs
  std::uint32_t rank = 0;
};

/// The thread that runs the checkpoint and the thread that writes its image use this one after the other.
protection& of_job() noexcept {
  static auto& the_protection = *new protection;
  return the_protection;
}

redundancy::membership membership_of(std::uint32_t rank, const std::vector<redundancy::group>& groups) {
  for (const redundancy::group& one : groups)
    if (const auto at = std::find(one.ranks.begin(), one.ranks.end(), rank); at != one.ranks.end())
      return {one, static_cast<unsigned>(at - one.ranks.begin())};
  throw std::logic_error("a rank without a group");
}

redundancy::grouping grouping_for(const redundancy::scheme& wanted, const std::vector<std::string>& nodes) {
  try {
    return redundancy::make_groups(wanted, nodes);
  } catch (const redundancy::redundancy_error& error) {
    throw start_failure(exit_status::usage, std::string("--") + error.what(),
                        "start more ranks, or omit --redundancy", met_by::all);
  }
}

/// Waits until the slowest rank has written, and leaves the cores to ranks that write.
/// out: the lowest rank that is not ready
std::optional<int> first_not_ready(bool ready) {
  constexpr std::chrono::microseconds pause(200);
  const MPI_Comm world = real_mpi::own().world;
  int rank = 0, size = 1, first = 0, done = 0;
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &size);
  const int mine = ready ? size : rank;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, world, &request) != MPI_SUCCESS)
    throw std::runtime_error("the ranks cannot agree: the MPI library failed");
  while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) std::this_thread::sleep_for(pause);
  if (done == 0) throw std::runtime_error("the ranks cannot agree: the MPI library failed");
  return first == size ? std::nullopt : std::optional(first);
}

/// An image and its parity file.
struct open_files {
  files::descriptor image;
  std::string path;
  store::shared_work_file parity;
};

/// errors: image_error, store_error
open_files open_at(const std::string& directory, std::uint64_t generation, std::uint32_t rank) {
  const std::string path =
      directory + "/" + image::generation_name(generation) + "/" + store::rank_file_name(rank);
  return {files::open_own_file(path), path,
          store::shared_work_file::make(directory, generation, store::parity_file_name(rank))};
}

}  // namespace

void begin_node_parity() {
  of_job() = {};
  const redundancy::scheme& asked = this_job().options.redundancy;
  const std::string text = from_first(asked.parity == 0 ? "" : asked.text());
  if (text.empty()) return;
  const redundancy::scheme wanted = redundancy::scheme::parse(text);
  int rank = 0;
  PMPI_Comm_rank(real_mpi::own().world, &rank);
  std::string node = "rank " + std::to_string(rank);      // a rank without a node name counts as alone on its node
  try {
    node = store::node_name();
  } catch (const store::store_error&) {
  }
  const std::vector<std::string> nodes = from_all(node);
  redundancy::grouping all;
  together([&] {
    all = grouping_for(wanted, nodes);
    if (PMPI_Comm_dup(real_mpi::own().world, &real_mpi::own().parity) != MPI_SUCCESS)
      throw start_failure(exit_status::internal, "--redundancy: the MPI library gives no communicator for it", {},
                          met_by::all);
  });
  protection& made = of_job();
  made.rank = static_cast<std::uint32_t>(rank);
  made.own = membership_of(made.rank, all.groups);
  if (rank != 0) return;
  for (const std::string& warning : all.warnings) {
    say("mana: warning: --redundancy " + text + ": " + warning);
    made.warnings.push_back("--redundancy " + text + ": " + warning);
  }
}

parity_turn::parity_turn(bool on_nodes, lent_thread& initial)
    : pending_(on_nodes && of_job().own.has_value()), initial_(initial) {}

store::parity_group parity_turn::make(const std::string& directory, const control::commit_info& generation,
                                      std::uint64_t checksum, std::vector<std::string>& warnings) {
  if (!begin()) return {};
  const protection& job = of_job();
  const redundancy::membership& who = *job.own;
  warnings.insert(warnings.end(), job.warnings.begin(), job.warnings.end());
  std::optional<open_files> files;
  bool speaks = who.own == 0;            // one member prints what all members of the group know
  try {
    try {
      files.emplace(open_at(directory, generation.generation, job.rank));
    } catch (const std::exception& error) {
      warnings.push_back(std::string("its file of parity cannot be made: ") + error.what());
    }
    initial_.run([&] {
      if (const auto missing = first_not_ready(files.has_value()))
        throw std::runtime_error("rank " + std::to_string(*missing) +
                                 " has no image, or no file of parity, on its node");
      fault_point(fault::point::encoding);
      mpi_transport link(who.of.ranks);
      redundancy::encode(who, {generation.generation, generation.nonce},
                         {{files->image.get(), files->path}, checksum, {files->parity.get(), files->parity.path()}},
                         link);
    });
    speaks = true;
    files->parity.finish();
    return {who.of.parity, who.of.ranks};
  } catch (const std::exception& error) {
    if (speaks) warnings.push_back(std::string("the images on the nodes have no parity: ") + error.what());
    return {};
  }
}

void parity_turn::pass() noexcept {
  if (!begin()) return;
  try {
    initial_.run([] { first_not_ready(false); });
  } catch (const std::exception&) {
    // Other ranks meet the same error and report it.
  }
}

}  // namespace mana::job
