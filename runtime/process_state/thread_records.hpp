// A thread of the program reports its own state when it parks, and gets it back in a new process.
#pragma once
#include <runtime/process_state/pending_signals.hpp>
#include <runtime/process_state/thread_attributes.hpp>

#include <mana/lower/abi.hpp>

#include <array>

namespace mana::process_state {

using thread_name = std::array<char, 16>;

struct thread_record {
  int tid = 0;                     // in the saved process
  thread_name name{};
  attribute_values attributes;     // at a checkpoint: all; in an image: those that the program changed
  signal_queue pending;
};

/// Of the calling thread.
thread_record look_at_thread();

/// The records of the threads that are parked now, by their blocks' indices. Not the calling thread's.
std::map<std::uint32_t, const thread_record*> parked_threads();

/// INV-69: lets each of them look at its pending signals, and returns when they have done so. No thread of the program
/// runs any longer. Cost: a file of /proc for each; threads without pending signals sleep on.
void look_at_signals_of_parked();

/// Records that threads of the restored program take when they continue. Afterwards their own tids may be asked for.
void set_records_to_restore(std::map<std::uint32_t, thread_record> records);
const std::map<std::uint32_t, thread_record>& records_to_restore() noexcept;

/// Sets all except the pending signals on the calling thread. out: attributes that could not be set, as text
std::vector<std::string> apply(const thread_record& record);

/// Attributes that continuing threads could not set, since the last call.
std::vector<std::string> refused_by_threads();

/// Puts the functions that parking and continuing threads call into this process's bridge.
void install_thread_hooks() noexcept;

}  // namespace mana::process_state
