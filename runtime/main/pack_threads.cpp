#include "pack_threads.hpp"

#include "idle_cores.hpp"
#include "job.hpp"

#include "../lower/own_state.hpp"

#include <processors.hpp>
#include <upper_half.hpp>

namespace mana::run {

unsigned pack_threads() {
  const start_options& options = this_job().options;
  if (options.pack_threads != 0) return options.pack_threads;
  const real_mpi::own_state& o = real_mpi::own();
  return packing_share(o.host_cores, o.host_ranks, processor_count(), options.forked ? split::thread_ids().size() : 0);
}

}  // namespace mana::run
