// Descriptors of kernel objects that have no name in a file system: event counters, timers, signals, this process.
#pragma once
#include <nlohmann/json.hpp>

#include <ctime>

namespace mana::descriptors {

/// Adds "kind" and the facts that make the object again. False: of an unknown kind.
bool describe_anonymous(int fd, nlohmann::json& row);

/// Makes the object of a described row again; -1: of another kind, or the kernel refuses.
int make_anonymous(const nlohmann::json& row);

/// Call when the descriptor has its number: if it is a timer, start_timers() starts it.
void note_timer(const nlohmann::json& row);

/// The time left now, from the time left at the checkpoint, by this clock.
using time_left = timespec (*)(const timespec& then, int clock);

/// Starts the program's timers with descriptors, when the program's clocks run again.
/// in:  left_now  or null: as much as at the checkpoint
void start_timers(time_left left_now);

}  // namespace mana::descriptors
