// Descriptors of kernel objects that have no name in a file system: event counters, timers, signals, this process.
#pragma once
#include <nlohmann/json.hpp>

#include <ctime>

namespace mana::descriptors {

/// Adds "kind" and what is needed to make the object again. False: of no kind that is known here.
bool describe_anonymous(int fd, nlohmann::json& row);

/// Makes the object of a described row again; -1: its kind is not one of these, or the kernel refuses.
int make_anonymous(const nlohmann::json& row);

/// Once the descriptor has its number: if it is a timer, start_timers() starts it.
void note_timer(const nlohmann::json& row);

/// What is left now of what was left at the checkpoint, by this clock.
using time_left = timespec (*)(const timespec& then, int clock);

/// Once the program's clocks go on: its timers with descriptors, which stand still until then.
/// in:  left_now  or null: as much as at the checkpoint
void start_timers(time_left left_now);

}  // namespace mana::descriptors
