// A checkpoint of a program with MPI: its drain, its inventory and its needs, its rebuilding.
#pragma once
#include <mana/call/library.hpp>
#include <mana/checkpoint/drain/run.hpp>
#include <mana/checkpoint/inventory.hpp>
#include <mana/checkpoint/needs.hpp>
#include <mana/checkpoint/rebuild.hpp>
#include <mana/checkpoint/service.hpp>
#include <mana/library/env.hpp>

namespace mana::checkpoint {

/// See run_checkpoint(). Before MPI_Init nothing is in flight, nor after MPI_Finalize; both hold on all ranks at once.
template <class Classes>
class program_of {
 public:
  bool drain() noexcept {
    if (in_mpi_ && !drain_all<Classes>()) return false;
    if (!in_mpi_) lower::cross([] { lower::the_bridge().service->drained(); });
    note_inventory<Classes>();
    note_needs(in_mpi_);
    return true;
  }
  void before_image() noexcept { library::hold_clock(); }
  void restarted() noexcept {
    library::continue_clock();
    rebuild_all<Classes>(in_mpi_);
  }

 private:
  bool in_mpi_ = call::library().live == call::life::initialized;
};
using program_with_mpi = program_of<all_classes>;

}  // namespace mana::checkpoint
