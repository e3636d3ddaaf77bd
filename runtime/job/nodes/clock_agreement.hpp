// The program's clocks in a restarted job.
#pragma once

namespace mana::job {

/// The program's clocks go on from where they were. Collective: ranks that read one clock before do so again, if they
/// do now. Last of all before the program runs on: what a restart takes is no time of the program's.
void continue_clocks_together();

}  // namespace mana::job
