// State of the wrapper library: everything that is not in an id table. One object, in the window; a restart finds it
// as it was.
#pragma once
#include <mana/drain/inbox.hpp>
#include <mana/vid/descriptor.hpp>

#include <atomic>

namespace mana::wrap {

enum class life : int { before_init, initialized, finalized };

/// A communicator that the application has freed, and the live MPI not yet.
struct freed_comm {
  std::uint32_t name;        // as its requests have it
  std::uint64_t real;        // 0: it went with a lower half
  freed_comm* next;
};

struct library_state {
  life state = life::before_init;           // of the world model: MPI_Init and MPI_Finalize
  life live = life::before_init;            // of the live MPI, which sessions start and keep, too
  int open_sessions = 0;
  std::uint32_t init_thread = 0;            // index of the thread that started the live MPI
  int thread_level = 0;                     // as provided, neutral (0 SINGLE … 3 MULTIPLE)
  turns callers = turns::at_once;           // one_by_one from MPI_Init on, except with MPI_THREAD_MULTIPLE
  vid::entry<kind::comm> world{}, self{};   // the predefined communicators
  vid::entry<kind::comm> hidden{};          // over all ranks, for messages of the wrappers themselves
  std::atomic<std::uint64_t> next_context{1};
  std::atomic<std::uint64_t> next_posted{1};

  // Counts of point-to-point messages since MPI_Init, by world rank. INV-4: sent is counted before the wrapper that
  // sent is left, received when the message is in the application's hands or in the inbox; so with all threads parked,
  // sent (at the sender) minus received (at the receiver) is what is in flight.
  std::uint64_t* sent = nullptr;            // uint64[world_size]
  std::uint64_t* received = nullptr;        // uint64[world_size]

  int most_neighbours = 0;                  // that a communicator had

  drain::inbox inbox;
  std::atomic_flag inbox_lock = ATOMIC_FLAG_INIT;   // taken only while the inbox is not empty

  // Requests that were freed while active, oldest first.
  vid::entry<kind::request>* first_detached = nullptr;
  vid::entry<kind::request>* last_detached = nullptr;
  freed_comm* freed_comms = nullptr;                // that some of them are of
  std::atomic_flag detached_lock = ATOMIC_FLAG_INIT;    // of all three

  // Of communicators that ended at a restart.
  vid::lane_list* ended_lanes = nullptr;

  // Partitioned messages.
  vid::entry<kind::comm> partitioned{};     // a duplicate of the world, where the live MPI is asked to have one
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

/// Adds one to a counter that other threads of the application may change as well.
inline void count_one(std::uint64_t& counter, turns t) noexcept {
  if (t == turns::at_once) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  else ++counter;
}

[[gnu::always_inline]] inline void count_sent(const vid::rank_map& ranks, int dest) noexcept {
  if (dest >= 0 && dest < ranks.size) count_one(library().sent[ranks.world_ranks[dest]], library().callers);
}
[[gnu::always_inline]] inline void count_received(const vid::rank_map& ranks, int source) noexcept {
  if (source >= 0 && source < ranks.size) count_one(library().received[ranks.world_ranks[source]], library().callers);
}

}  // namespace mana::wrap
