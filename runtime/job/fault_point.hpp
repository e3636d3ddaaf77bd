// What MANA_FAULT asks for: at which of the points of fault_points.hpp this process dies, or waits for the test.
#pragma once
#include <mana/core/fault_points.hpp>

#include <string>
#include <vector>

namespace mana::job {

/// What a process does at a point. Who stops or waits tells the test first.
enum class fault_act { die, stop, wait };

struct wanted_fault {
  fault::point at{};
  int rank = -1;         // -1: all
  fault_act act = fault_act::die;
};

/// MANA_FAULT=FAULT{,FAULT}, FAULT: POINT[@RANK][=hold|=wait]
/// errors: start_failure (usage) that names the word
std::vector<wanted_fault> parse_faults(const std::string& text);

/// From now on: SIGKILL at the points that MANA_FAULT names, as if the node had failed. With "hold" or "wait" a line
/// "POINT RANK PID" into the FIFO that MANA_FAULT_PIPE names, and then SIGSTOP; or the one thread alone waits, until somebody
/// opens the FIFO of that name with ".go" behind it for writing.
/// errors: start_failure (usage)
void arm_fault_points();

/// For the upper half, which has the name only. One that is not in the table is a defect, and ends the process.
void fault_point_named(const char* name) noexcept;

}  // namespace mana::job
