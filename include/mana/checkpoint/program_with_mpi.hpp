// A checkpoint of a program with MPI: what it drains, counts and builds again.
#pragma once
#include <mana/checkpoint/drain/run.hpp>
#include <mana/checkpoint/inventory.hpp>
#include <mana/checkpoint/service.hpp>
#include <mana/object/comm/restart/rebuild.hpp>
#include <mana/library/env.hpp>

namespace mana::drain {

/// See run_checkpoint(). Before MPI_Init and after MPI_Finalize, which holds on all ranks, nothing is in flight.
class program_with_mpi {
 public:
  bool drain() noexcept {
    if (in_mpi_ && !drain_all()) return false;
    if (!in_mpi_) lower::cross([] { lower::the_bridge().service->drained(); });
    note_inventory();
    return true;
  }
  void before_image() noexcept { wrap::hold_clock(); }
  void restarted() noexcept {
    wrap::continue_clock();
    if (in_mpi_) restart::rebuild_all();
  }

 private:
  bool in_mpi_ = wrap::library().live == wrap::life::initialized;
};

}  // namespace mana::drain
