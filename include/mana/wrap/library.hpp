// State of the wrapper library: everything that is not in an id table. One object, in the window; a restart finds it
// as it was.
#pragma once
#include <mana/drain/inbox.hpp>
#include <mana/vid/descriptor.hpp>

#include <atomic>

namespace mana::wrap {

enum class life : int { before_init, initialized, finalized };

/// A communicator that is never freed.
struct lasting_comm : vid::entry<kind::comm> {
  constexpr lasting_comm() noexcept { references = 1; }
};

struct library_state {
  life state = life::before_init;           // of the world model: MPI_Init and MPI_Finalize
  life live = life::before_init;            // of the live MPI, which sessions start and keep, too
  int open_sessions = 0;
  std::uint32_t init_thread = 0;            // index of the thread that started the live MPI
  int thread_level = 0;                     // as provided: neutral::thread_level_code
  turns callers = turns::at_once;           // one_by_one from MPI_Init on, except with MPI_THREAD_MULTIPLE
  lasting_comm world, self;                 // the predefined communicators
  lasting_comm hidden;                      // over all ranks, for messages of the wrappers themselves
  std::atomic<std::uint64_t> next_context{1};
  std::atomic<std::uint64_t> next_posted{1};

  std::atomic<int> matched{0};              // messages that the program has matched and not received

  vid::traffic* traffics = nullptr;         // of all communicators that messages can still come on
  vid::ended_traffic* ended = nullptr;      // ended_traffic[most_ended], a ring; nullptr: nothing was sent on one that ended
  std::uint64_t ended_count = 0;            // since the last drain
  std::atomic_flag traffic_lock = ATOMIC_FLAG_INIT;     // held to change the last three

  int most_neighbours = 0;                  // that a communicator had

  drain::inbox inbox;
  std::atomic_flag inbox_lock = ATOMIC_FLAG_INIT;   // taken only while the inbox is not empty

  // Requests that were freed while active, oldest first.
  vid::entry<kind::request>* first_detached = nullptr;
  vid::entry<kind::request>* last_detached = nullptr;
  std::atomic_flag detached_lock = ATOMIC_FLAG_INIT;    // of both

  // Of communicators that ended at a restart.
  vid::lane_list* ended_lanes = nullptr;

  // Partitioned messages.
  lasting_comm partitioned;                 // a duplicate of the world, where the live MPI is asked to have one
  std::atomic<int> unready{0};              // requests in that state
  bool shares_requests = false;             // several threads may test a partitioned request at once
  std::uint32_t* channels = nullptr;        // uint32[world_size]: numbers given to each, from 1; nullptr: none yet
  vid::entry<kind::request>* first_unpaired = nullptr;   // receives, in the order of their initialisation
  vid::held_message* firsts = nullptr;      // first messages whose receives are not initialised yet, oldest first
  std::atomic_flag pairing = ATOMIC_FLAG_INIT;           // held to change the last two

  // Buffered sends: bytes of the attached buffer that are in use; the data itself is in memory of ours.
  void* attached = nullptr;
  std::int64_t attached_size = 0, attached_used = 0;
};

inline library_state the_library;
inline library_state& library() noexcept { return the_library; }

/// With the drained messages, one thread at a time; nothing where there are none.
template <class Do>
inline void with_inbox(Do&& act) noexcept {
  library_state& lib = library();
  if (lib.inbox.empty()) [[likely]] return;
  while (lib.inbox_lock.test_and_set(std::memory_order_acquire)) {}
  act(lib.inbox);
  lib.inbox_lock.clear(std::memory_order_release);
}

}  // namespace mana::wrap
