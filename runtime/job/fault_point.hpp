// Reads MANA_FAULT: the points of fault_points.hpp at which this process dies, or waits for the test.
#pragma once
#include <mana/core/fault_points.hpp>

#include <string>
#include <vector>

namespace mana::job {

/// The act of a process at a point. A process that stops or waits first tells the test.
enum class fault_act { die, stop, wait };

struct wanted_fault {
  fault::point at{};
  int rank = -1;         // -1: all
  fault_act act = fault_act::die;
};

/// MANA_FAULT=FAULT{,FAULT}, FAULT: POINT[@RANK][=hold|=wait]
/// errors: start_failure (usage) that quotes the wrong part
std::vector<wanted_fault> parse_faults(const std::string& text);

/// Arms the points that MANA_FAULT names. At such a point the process gets SIGKILL, as if its node had failed. With
/// "hold", it writes the line "POINT RANK PID" to the FIFO that MANA_FAULT_PIPE names, then gets SIGSTOP. With "wait",
/// it writes the same line, and this one thread waits until the test opens the FIFO of the same name plus ".go" for
/// writing.
/// errors: start_failure (usage)
void arm_fault_points();

/// For the upper half, which has only the name. An unknown name is a defect of mana, and ends the process.
void fault_point_named(const char* name) noexcept;

}  // namespace mana::job
