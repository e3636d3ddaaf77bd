// State of the wrapper library as a whole: the phase of MPI's life, and how the program's threads call. Each class of
// objects keeps its own state in its folder. All of it lies in the window, so a restart finds it unchanged.
#pragma once
#include <mana/core/turns.hpp>

#include <cstdint>

namespace mana::call {

enum class life : int { before_init, initialized, finalized };

struct library_state {
  life state = life::before_init;           // of the world model: MPI_Init and MPI_Finalize
  life live = life::before_init;            // of the live MPI, which sessions also start and keep
  int open_sessions = 0;
  std::uint32_t init_thread = 0;            // index of the thread that started the live MPI
  int thread_level = 0;                     // as provided: neutral::thread_level_code
  turns callers = turns::at_once;           // one_by_one after MPI_Init, except with MPI_THREAD_MULTIPLE
};

inline library_state the_library;
inline library_state& library() noexcept { return the_library; }

}  // namespace mana::call
