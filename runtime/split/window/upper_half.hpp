// How a lower half starts, and restarts, the upper half in its process.
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

/// Why a program cannot be loaded. exit_code: exit status of `mana run` for this cause (65 not found, 66 not
/// executable, 67 not ELF, 68 other architecture, 69 statically linked, 63 no room in the window).
struct load_error : std::exception {
  load_error(int code, std::string what_was_wrong) : exit_code(code), text(std::move(what_was_wrong)) {}
  const char* what() const noexcept override { return text.c_str(); }
  int exit_code;
  std::string text;
};

struct start_options {
  std::string program;             // as execvp takes it: searched in PATH if it has no slash
  std::vector<std::string> args;   // args[0] is the name that the program sees
  std::vector<std::string> env;    // NAME=value
  /// The system call filter that this process has from the program that it was before, as filter_words() names it; else
  /// empty. Filters add up, and a kernel takes some dozens of them.
  std::string filtered;
  std::optional<std::uint64_t> mask;   // signals that the program finds blocked; none: as they are
  std::string preload;             // libraries to load first (LD_PRELOAD's form), or empty; before the user's own LD_PRELOAD
  bool is_linked_with_mpi = true;  // else see hide_lower_handlers()
};

/// How a rank asks for checkpoints without a client. Signals named here are not the program's.
struct request_sources {
  int descriptor = -1;             // eventfd, see lower::bridge::requests
  std::uint64_t signals = 0;       // bit n-1: signal n asks
  std::uint64_t stop_signals = 0;  // a subset: ends the job once the checkpoint is durable
};

/// Blocks the signals on the calling thread until the upper half starts, or starts again: those that come early wait.
/// Once per process, before start() or reinstall().
void set_request_sources(const request_sources& wanted) noexcept;

/// Is called on a thread of the program that is about to execute another program in this process, with its path: that ends the
/// rank, if it goes well.
void set_exec_listener(void (*listener)(const char* path)) noexcept;

/// Maps the bridge, the threads' blocks and the stub, and fills what the live kernel decides.
/// Once per process, before anything else of the upper half; not before a restart, which restores them.
/// errors: load_error (63) if the addresses are taken
void prepare_bridge();

/// Called by start() when the program is loaded, before it begins: with what the filter that it runs under traps.
using filter_named = void (*)(const std::string& filter);

/// Loads the program and enters it on the calling thread, which must be the initial one. Does not return: the process
/// ends as the program ends.
/// errors: load_error; nothing of the program has run then
[[noreturn]] void start(const start_options& options, filter_named named = nullptr);

/// After the window's memory was restored in a fresh process: refreshes what belongs to this process (vDSO table,
/// thread pointers), rebuilds the map of the window, installs the signal dispositions and the system call filter.
/// On the initial thread, before restart_threads().
void reinstall();

enum class attached_as {
  segment,     // the System V segment that it was
  memory,      // memory of ours, which the kernel does not know as one: shmdt unmaps it
};
/// At a restart: the program had a System V segment attached here.
void note_attached(std::uintptr_t begin, std::uintptr_t end, attached_as what) noexcept;

/// Of the program's threads: the main one and all that are parked.
std::vector<std::int32_t> thread_ids();

/// The registers that the kernel saved when the park signal met threads, as this processor lays them out.
/// in:     then  layout of the processor that saved them
/// errors: load_error (63) if some are in use that it has not; frames of the program's own signal handlers are not looked at
void fit_threads(const register_layout& then);

/// Creates the twin of every parked thread but bridge::main_thread; each waits in its park point when this returns. Their
/// ids are new: `locks`, which they hold by their ids, and those of their robust lists get these.
/// errors: load_error (63) if the system gives no more threads
void restart_threads(std::span<const held_lock> locks);

/// Continues bridge::main_thread on the calling, initial, thread from its saved context.
[[noreturn]] void resume_main();

}  // namespace mana::split
