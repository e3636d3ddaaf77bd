// Which MPI a restart is started with, before the ranks choose the checkpoint.
#include <runtime/tools/launch/restart_source.hpp>

#include <runtime/tools/text/failure.hpp>

#include "../image/checkpoints.hpp"

#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store_id.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

namespace tools_restart_source_tests {

using namespace mana;
using namespace mana::tools;

namespace {

const launcher by_mpich{mpi_name::mpich, true, 0, 0}, by_hand{std::nullopt, false, -1, 0};

/// A directory of checkpoints of MPICH's, and a node.
class place {
 public:
  place() : made(scratch_.path()) {
    setenv("MANA_NODE", "n7", 1);
    options.checkpoint_directory = made.directory() + "/";
    options.local = (scratch_.path() / "%n").string();
  }
  ~place() { unsetenv("MANA_NODE"); }

  void add_on_node(std::uint64_t generation, const std::string& mpi) const {
    const std::string directory = store::local_directory(options.local, "n7") + "/" + store::make_store_id(made.directory());
    const auto w = image::write_rank_image(store::begin_local(directory, generation, 0), 0, 2, {}, {});
    store::local_image about;
    about.generation = generation;
    about.ranks = 2;
    about.bytes = w.file_bytes;
    about.checksum = w.checksum;
    about.mpi = mpi;
    store::finish_local(directory, about);
  }

  mana::exit_status refusal(const launcher& started_by, const std::string& words) const {
    try {
      find_restart_source(options, started_by);
      return mana::exit_status::success;
    } catch (const failure& failed) {
      CHECK(std::string(failed.what()).find(words) != std::string::npos);
      return failed.code();
    }
  }

 private:
  temporary_directory scratch_;

 public:
  checkpoints made;
  run_options options;
};

}  // namespace

TEST_CASE("the newest checkpoint says it, unless this node has something newer") {
  place here;
  here.made.add();
  CHECK(find_restart_source(here.options, by_hand).made_with == mpi_name::mpich);
  here.add_on_node(1, "Open MPI");
  const restart_source newest = find_restart_source(here.options, by_hand);
  CHECK(newest.made_with == mpi_name::mpich);
  CHECK(newest.where == here.made.directory() + "/gen-000001");
  CHECK(newest.directory == here.made.directory());
  CHECK(newest.generation.empty());
  here.add_on_node(2, "Open MPI");
  const restart_source local = find_restart_source(here.options, by_hand);
  CHECK(local.made_with == mpi_name::openmpi);
  CHECK(local.where.find("/n7/") != std::string::npos);
  CHECK(local.directory == here.made.directory());
  here.options.local.clear();
  CHECK(find_restart_source(here.options, by_hand).made_with == mpi_name::mpich);
}

TEST_CASE("a checkpoint that is named itself is the only one") {
  place here;
  const auto first = here.made.add();
  here.made.add();
  here.add_on_node(3, "Open MPI");
  here.options.checkpoint_directory = first.path + "/";
  const restart_source named = find_restart_source(here.options, by_hand);
  CHECK(named.made_with == mpi_name::mpich);
  CHECK(named.generation == first.path);
  CHECK(named.directory == here.made.directory());
}

TEST_CASE("where there is no checkpoint, an image of this node says it, or else this mpirun") {
  place here;
  CHECK(here.refusal(by_hand, "no such directory") == mana::exit_status::checkpoint_missing);
  store::make_store_id(here.made.directory());
  CHECK(here.refusal(by_hand, "and node n7 has no image in ") == mana::exit_status::checkpoint_missing);
  CHECK(find_restart_source(here.options, by_mpich).made_with == mpi_name::mpich);
  here.add_on_node(2, "Open MPI");
  const restart_source found = find_restart_source(here.options, by_mpich);
  CHECK(found.made_with == mpi_name::openmpi);
  CHECK(found.directory == here.made.directory());
  here.options.local.clear();
  CHECK(here.refusal(by_hand, "there is no complete checkpoint") == mana::exit_status::checkpoint_missing);
}

TEST_CASE("a rank that sees no checkpoint leaves it to all to say so: others wait for it in the start of MPI") {
  place here;
  for (const bool is_there : {false, true}) {
    if (is_there) store::make_store_id(here.made.directory());
    here.options.local.clear();
    const restart_source found = find_restart_source(here.options, by_mpich);
    CHECK(found.made_with == mpi_name::mpich);
    CHECK_FALSE(found.is_seen);
    CHECK(found.directory.string() + "/" == here.options.checkpoint_directory);
  }
}

}  // namespace tools_restart_source_tests
