// Random programs that end, whatever the schedule, if nobody asks for a checkpoint.
#pragma once
#include "world.hpp"

namespace clock_test {

/// 2 to 5 ranks, of 1 or 2 threads each; collectives of all kinds, sends and receives.
script random_script(std::mt19937& chance);

}  // namespace clock_test
