// The environment: clocks, versions, memory, addresses, abort. Only MPI_Abort here needs the live MPI.
#pragma once
#include <mana/object/errhandler/calls.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace mana::library {

/// MPI_Wtime continues across a restart as if no time had passed between image and restart: the monotonic clock of the
/// new node may have any value. The offset, in seconds, is added to that clock.
struct wall_clock {
  double offset = 0;
  double held_at = 0;        // the clock's value when the image was written
};
inline wall_clock& clock_state() noexcept {
  static wall_clock state;
  return state;
}
inline double monotonic_seconds() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);           // vDSO
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
inline double wall_seconds() noexcept { return monotonic_seconds() + clock_state().offset; }
/// Called right before the image is written, and in the new process after a restart.
inline void hold_clock() noexcept { clock_state().held_at = wall_seconds(); }
inline void continue_clock() noexcept { clock_state().offset = clock_state().held_at - monotonic_seconds(); }

}  // namespace mana::library

namespace mana::manual {

inline double wtime() noexcept { return library::wall_seconds(); }
inline double wtick() noexcept {
  timespec t;
  return clock_getres(CLOCK_MONOTONIC, &t) == 0 ? static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec)
                                                : 1e-9;
}

inline int get_version(int* version, int* subversion) noexcept {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
/// The text begins as the MPI's own text does: programs search it for that MPI's name.
inline int get_library_version(char* text, int* length) noexcept {
  *length = family::write_library_version(text);
  return MPI_SUCCESS;
}
/// The name of the current node: a restart may have moved the process.
inline int get_processor_name(char* name, int* length) noexcept {
  if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0)
    return object::fail(fn::get_processor_name::id, neutral::err_other, "gethostname failed");
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *length = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}
/// Levels, and the arguments behind them, have a meaning for profilers only.
inline int pcontrol(int) noexcept { return MPI_SUCCESS; }

/// Ordinary memory of the program: memory that a network library registers would vanish with the lower half.
inline int alloc_mem(MPI_Aint size, MPI_Info, void* base) noexcept {
  if (size < 0 || base == nullptr)
    return object::fail(fn::alloc_mem::id, neutral::err_arg, "negative size or null pointer");
  void* memory = nullptr;
  if (posix_memalign(&memory, 64, size > 0 ? static_cast<std::size_t>(size) : 1) != 0)
    return object::fail(fn::alloc_mem::id, neutral::err_no_mem, nullptr);
  std::memcpy(base, &memory, sizeof memory);
  return MPI_SUCCESS;
}
inline int free_mem(void* base) noexcept {
  std::free(base);
  return MPI_SUCCESS;
}

/// Ends the whole job, whatever the communicator, as the live MPIs do.
inline int abort(MPI_Comm, int code) noexcept {
  call::wrapper_scope scope(fn::abort::id);
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.abort(code); });
  return MPI_SUCCESS;
}

inline int get_address(const void* location, MPI_Aint* address) noexcept {
  *address = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(location));
  return MPI_SUCCESS;
}
inline int address(void* location, MPI_Aint* out) noexcept { return get_address(location, out); }
/// Unsigned arithmetic: addresses wrap around as pointers do.
inline MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) noexcept {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}
inline MPI_Aint aint_diff(MPI_Aint a, MPI_Aint b) noexcept {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(a) - static_cast<std::uintptr_t>(b));
}

}  // namespace mana::manual
