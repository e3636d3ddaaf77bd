// Collectives of the simulated MPI: who has entered, and when it is over for whom.
#pragma once
#include "event_queue.hpp"
#include "groups.hpp"

namespace clock_scale {

enum class collective_kind : std::uint8_t {
  all,        // ends when all members have entered: barrier, allreduce
  from_root,  // the root leaves at once, the others when it has entered: broadcast
  to_root,    // the root leaves when all have entered, the others at once: reduction
  split,      // as all; makes communicators
  free        // everyone leaves at once; the last one to enter releases the communicator
};

struct communicator;

struct split_part {
  int rank = 0, color = 0;
  std::uint32_t made = 0;  // index of the new communicator
};

/// One collective that some members have entered, and that is not over.
struct collective_instance {
  communicator* on = nullptr;
  collective_kind kind = collective_kind::all;
  int entered = 0;
  nanoseconds over_at = -1;  // -1: not known yet
  bool over = false;
  std::int64_t value = 0;    // sum of what was contributed, or the root's
  struct waiter {
    int rank, slot;
  };
  std::vector<waiter> waiters;
  std::vector<split_part> parts;  // of a split, by rank when all have entered
};

struct communicator {
  group* of = nullptr;
  std::uint32_t index = 0;
  std::uint32_t first_open = 0;  // number of the first in open
  bool freed = false;            // by all members
  std::deque<collective_instance> open;

  collective_instance& instance(std::uint32_t number, collective_kind kind) {
    while (first_open + open.size() <= number) open.emplace_back().on = this;
    collective_instance& found = open[number - first_open];
    found.kind = kind;
    return found;
  }
};

/// A rank's handle of a communicator.
struct comm {
  communicator* shared = nullptr;
  std::uint32_t next = 0;  // number of its next collective
  explicit operator bool() const noexcept { return shared != nullptr; }
  int size() const noexcept { return shared->of->size(); }
};

struct collective_call {
  comm* on = nullptr;
  collective_kind kind = collective_kind::all;
  bool blocking = true;
  int root = 0;            // world rank
  std::int64_t value = 0;  // contribution; the colour of a split
};

/// Is the caller's part over only when all members have entered? In a broadcast it waits for the root alone.
inline bool waits_for_all(collective_kind k) { return k == collective_kind::all || k == collective_kind::split; }

}  // namespace clock_scale
