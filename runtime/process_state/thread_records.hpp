// What each thread of the program says about itself when it parks, and gets back in a new process.
#pragma once
#include <runtime/process_state/pending_signals.hpp>
#include <runtime/process_state/thread_attributes.hpp>

#include <mana/lower/abi.hpp>

#include <array>

namespace mana::process_state {

using thread_name = std::array<char, 16>;

struct thread_record {
  int tid = 0;                     // in the process that was saved
  thread_name name{};
  attribute_values attributes;     // at a checkpoint: all; in an image: those that the program changed
  signal_queue pending;
};

/// The calling thread's.
thread_record look_at_thread();

/// What the threads said that are parked now, by their blocks' indices. Not the calling one's.
std::map<std::uint32_t, const thread_record*> parked_threads();

/// INV-69: has each of them look at the signals that wait for it, and returns when they have. Nothing of the program runs
/// any more. Cost: a file of /proc for each; those for which nothing waits sleep on.
void look_at_signals_of_parked();

/// What threads of the restored program take when they continue; then their own tids may be asked for.
void set_records_to_restore(std::map<std::uint32_t, thread_record> records);
const std::map<std::uint32_t, thread_record>& records_to_restore() noexcept;

/// Sets all but the pending signals on the calling thread. out: what could not be set, in words
std::vector<std::string> apply(const thread_record& record);

/// What threads that continued could not set, since it was asked last.
std::vector<std::string> refused_by_threads();

/// In this process's bridge: what parking and continuing threads call.
void install_thread_hooks() noexcept;

}  // namespace mana::process_state
