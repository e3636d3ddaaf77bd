// Checkpoints of a program with other classes of objects than MPI's alone.
#pragma once
#include "scripted.hpp"

#include <mana/checkpoint/program_with_mpi.hpp>

namespace mana::scripted {

/// For as long as this lives, a checkpoint drains, counts and builds again the objects of these classes.
template <class Classes>
class checkpoint_of {
 public:
  checkpoint_of() { set_checkpoint(run_checkpoint_of<checkpoint::program_of<Classes>>); }
  ~checkpoint_of() { set_checkpoint(nullptr); }
  checkpoint_of(const checkpoint_of&) = delete;
  checkpoint_of& operator=(const checkpoint_of&) = delete;
};

}  // namespace mana::scripted
