#include <runtime/job/save/pack_threads.hpp>

#include <runtime/job/job.hpp>
#include <runtime/job/save/idle_cores.hpp>

#include <runtime/lower/own_state.hpp>

#include <runtime/split/window/upper_half.hpp>
#include <runtime/words/processors.hpp>

namespace mana::job {

unsigned pack_threads() {
  const start_options& options = this_job().options;
  if (options.pack_threads != 0) return options.pack_threads;
  const real_mpi::own_state& o = real_mpi::own();
  return packing_share(o.host_cores, o.host_ranks, processor_count(), options.forked ? split::thread_ids().size() : 0);
}

}  // namespace mana::job
