// The interface by which a lower half starts and restarts the upper half in its process.
#pragma once
#include <runtime/split/window/lock_owners.hpp>
#include <runtime/split/window/register_area.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mana::split {

/// The reason why a program cannot be loaded. exit_code: exit status of `mana run` for this cause. 65: not found, 66:
/// not executable, 67: not ELF, 68: other architecture, 69: statically linked, 63: no room in the window.
struct load_error : std::exception {
  load_error(int code, std::string what_was_wrong) : exit_code(code), text(std::move(what_was_wrong)) {}
  const char* what() const noexcept override { return text.c_str(); }
  int exit_code;
  std::string text;
};

struct start_options {
  std::string program;             // as for execvp: searched in PATH if it has no slash
  std::vector<std::string> args;   // args[0] is the name that the program sees
  std::vector<std::string> env;    // NAME=value
  /// The filter of system calls that this process has from its former program, named by filter_words(); else empty.
  /// Filters add up, and a kernel takes some dozens of them.
  std::string filtered;
  std::optional<std::uint64_t> mask;   // signals that the program finds blocked; none: those of this process
  std::string preload;             // libraries to load before the user's LD_PRELOAD, in the same form; or empty
  bool is_linked_with_mpi = true;  // else see hide_lower_handlers()
};

/// How a rank requests checkpoints without a client. The program does not get the signals that are named here.
struct request_sources {
  int descriptor = -1;             // eventfd, see lower::bridge::requests
  std::uint64_t signals = 0;       // bit n-1: signal n requests a checkpoint
  std::uint64_t stop_signals = 0;  // a subset: ends the job once the checkpoint is durable
};

/// Blocks the signals on the calling thread until the upper half starts, or starts again: early signals wait. Call it
/// once per process, before start() or reinstall().
void set_request_sources(const request_sources& wanted) noexcept;

/// Sets a function for a thread of the program that is about to execute another program in this process. The function
/// gets the program's path. A successful execution ends the rank.
void set_exec_listener(void (*listener)(const char* path)) noexcept;

/// Maps the bridge, the threads' blocks and the stub, and fills the members that depend on the live kernel. Call it
/// once per process, before anything else of the upper half. Do not call it before a restart, which restores them.
/// errors: load_error (63) if the addresses are taken
void prepare_bridge();

/// start() calls it when the program is loaded, before the program begins.
/// in: filter  words for the calls that its filter traps
using filter_named = void (*)(const std::string& filter);

/// Loads the program and enters it on the calling thread, which must be the initial one. Does not return: the process
/// ends with the program.
/// errors: load_error; nothing of the program has run then
[[noreturn]] void start(const start_options& options, filter_named named = nullptr);

/// Call it on the initial thread after the window's memory was restored in a fresh process, and before
/// restart_threads(). Refreshes the data of this process (vDSO table, thread pointers), and rebuilds the map of the
/// window. Installs the signal dispositions and the filter of system calls.
void reinstall();

enum class attached_as {
  segment,     // the former System V segment
  memory,      // memory of ours, which the kernel does not know as a segment: shmdt unmaps it
};
/// At a restart: the program had a System V segment attached here.
void note_attached(std::uintptr_t begin, std::uintptr_t end, attached_as what) noexcept;

/// Ids of the program's main thread and of all parked ones.
std::vector<std::int32_t> thread_ids();

/// Fits the registers that the kernel saved when the park signal met threads to this processor's layout.
/// in:     then  layout of the processor that saved them
/// errors: load_error (63) if registers are in use that this processor lacks; frames of the program's own signal
///         handlers are ignored
void fit_threads(const register_layout& then);

/// Creates the twin of every parked thread except bridge::main_thread. On return each waits in its park point. Their
/// ids are new: the held `locks`, and those of the threads' robust lists, get the new ids.
/// errors: load_error (63) if the system gives no more threads
void restart_threads(std::span<const held_lock> locks);

/// Continues bridge::main_thread on the calling, initial, thread from its saved context.
[[noreturn]] void resume_main();

}  // namespace mana::split
