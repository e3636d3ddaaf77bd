// State of the wrapper library as a whole: where the program is in MPI's life, and how its threads call. Each class of objects
// has a state of its own in its folder. All of it is in the window; a restart finds it as it was.
#pragma once
#include <mana/core/turns.hpp>

#include <cstdint>

namespace mana::call {

enum class life : int { before_init, initialized, finalized };

struct library_state {
  life state = life::before_init;           // of the world model: MPI_Init and MPI_Finalize
  life live = life::before_init;            // of the live MPI, which sessions start and keep, too
  int open_sessions = 0;
  std::uint32_t init_thread = 0;            // index of the thread that started the live MPI
  int thread_level = 0;                     // as provided: neutral::thread_level_code
  turns callers = turns::at_once;           // one_by_one from MPI_Init on, except with MPI_THREAD_MULTIPLE
};

inline library_state the_library;
inline library_state& library() noexcept { return the_library; }

}  // namespace mana::call
