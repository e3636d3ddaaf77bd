// The program's clocks in a restarted job.
#pragma once

namespace mana::job {

/// The program's clocks continue from their values at the checkpoint. Ranks that read the same clock before the
/// checkpoint read the same clock again, if they share one now. Last step before the program runs: the time of the
/// restart does not count as the program's. Collective.
void continue_clocks_together();

}  // namespace mana::job
