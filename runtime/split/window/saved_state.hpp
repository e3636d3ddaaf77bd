// State of the loader and the traps in the image. Private to the runtime. It is in the bridge's pages, behind the
// bridge, and frozen as the bridge is: members are appended, with a minor of its own.
#pragma once
#include <runtime/split/window/former_ids.hpp>

#include <mana/lower/abi.hpp>

namespace mana::split {

inline constexpr std::uintptr_t saved_state_address = lower::bridge_address + 0x8000;
inline constexpr std::size_t path_bytes = 4096;

/// The owner of a signal's disposition at the checkpoint. unknown: the bridge's record counts.
enum class disposition : std::uint8_t { unknown, standard, ignored, program, lower_half };

/// The values of the program's clocks at the line. known: 0 in images of versions that did not record them.
struct saved_clocks {
  std::uint64_t known;
  std::int64_t shown[3];                // ns, by program_clock: those that begin at the boot
  std::int64_t ticks;                   // of times()
  std::uint64_t kernel;                 // identifies the kernel's clocks
  std::int64_t process_used[2];         // processor time: ns, and of that the system's, us
};

/// See held_signals.hpp.
struct held_signals {
  std::atomic<std::uint32_t> lock;
  std::uint32_t count;
  struct { std::uint32_t thread; alignas(8) unsigned char info[128]; } of[16];     // a siginfo_t
};

/// The places of the program's parts, as the kernel shows them; proc_pid_stat(5).
struct program_places {
  std::uint64_t code_begin, code_end, data_begin, data_end;
  std::uint64_t stack_begin;            // the address of argc at its start
  std::uint64_t arguments_begin, arguments_end, environment_begin, environment_end;
};

/// The kernel's view of the program.
struct shown_program {
  program_places places;
  std::uint64_t auxiliary_words;        // with the two of the end; 0: an image of a version that did not record them
  std::uint64_t auxiliary[128];         // pairs of type and value
};

struct saved_state {
  std::uint32_t bytes;                  // size of this struct in the image's loader; zeros are behind it
  std::uint32_t fixed_traps;            // 1: the program's own segments make system calls, and lie at fixed_begin
  std::uint64_t fixed_begin, fixed_end; // bytes; address range of an ET_EXEC program, 0 if it is none
  std::uint64_t brk_end;                // address; the last result of brk
  std::uint64_t brk_mapped;             // address, whole pages: brk_zone..brk_mapped is mapped
  std::uint64_t signal_masks[65];       // sa_mask of bridge::signal_handlers
  char program[path_bytes];             // absolute path of the program: /proc/self/exe of the upper half
  disposition dispositions[65];
  std::uint64_t arguments_begin, arguments_end;   // argv's texts, one after the other: /proc/self/cmdline
  std::uint32_t has_advice;             // 1: a mapping may have been advised, locked or placed
  std::uint32_t locks_all;              // MCL_*, of mlockall
  saved_clocks clocks;
  held_signals held;
  shown_program shown;
  former_ids former;
  std::int64_t children_used[2];        // processor time at the line of children that were waited for: user, system, us
  std::int64_t children_ahead[2];       // that time minus the kernel's
  std::uint32_t tells_first_ids;        // 1: INV-90 applies here
};
static_assert(sizeof(lower::bridge) <= saved_state_address - lower::bridge_address);
static_assert(saved_state_address + sizeof(saved_state) <= lower::threads_address);

inline saved_state& saved() noexcept { return *reinterpret_cast<saved_state*>(saved_state_address); }

/// The id that the program is told for the kernel's `id` (INV-90).
inline std::int32_t told_now(std::int32_t id) noexcept { return saved().tells_first_ids != 0 ? told_id(saved().former, id) : id; }
/// The same for ids of processes.
inline std::int32_t told_process_now(std::int32_t id) noexcept { return id == saved().former.process ? told_now(id) : id; }

}  // namespace mana::split
