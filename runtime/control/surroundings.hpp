// The interface of the control of checkpoints to the rest of a lower half.
#pragma once
#include <mana/clock/fields.hpp>
#include <mana/clock/tree.hpp>
#include <mana/core/handle.hpp>
#include <mana/vid/group_clock.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mana::control {

/// A file beside the images that the images of several ranks refer to.
struct file_written {
  std::string name;                  // without directory
  std::uint64_t bytes = 0, checksum = 0;
  static constexpr std::tuple fields{&file_written::name, &file_written::bytes, &file_written::checksum};
};

struct rank_written {
  int rank = 0;
  std::uint64_t file_bytes = 0, memory_bytes = 0, checksum = 0;   // image::write_result
  std::uint64_t kept_bytes = 0;                                   // of the memory: bytes that earlier images hold
  std::vector<std::uint64_t> builds_on;                           // generations that it refers to, ascending
  std::string mode;                                               // how it was written, as text
  std::vector<std::string> warnings;                              // what a restart will lack, as text
  double seconds = 0;                                             // from the end of the drain until it was durable
  double sync_s = 0;                                              // part of `seconds`: after the last byte
  std::uint64_t writer_bytes = 0;                                 // memory that the writing took
  std::vector<file_written> files = {};                             // made by this rank beside its image
  static constexpr std::tuple fields{&rank_written::rank,       &rank_written::file_bytes, &rank_written::memory_bytes,
                                     &rank_written::checksum,   &rank_written::kept_bytes, &rank_written::builds_on,
                                     &rank_written::mode,       &rank_written::warnings,   &rank_written::seconds,
                                     &rank_written::sync_s,     &rank_written::writer_bytes, &rank_written::files};
};

struct rank_result {
  rank_written image;
  std::string failure;               // why the image was not written; empty: it was written
  static constexpr std::tuple fields{&rank_result::image, &rank_result::failure};
};

struct commit_info {
  std::string generation_path;
  std::uint64_t generation = 0;
  std::uint64_t nonce = 0;           // of this attempt; a generation that was given up may have had the same number
  static constexpr std::tuple fields{&commit_info::generation_path, &commit_info::generation, &commit_info::nonce};
};

/// Progress of the images of some ranks, in bytes that each rank writes or copies.
struct write_advance {
  std::uint64_t bytes = 0, done = 0;
  int slowest = -1;                  // the rank with the smallest finished share; -1: none has begun
  std::uint64_t slowest_bytes = 0, slowest_done = 0;
  static constexpr std::tuple fields{&write_advance::bytes, &write_advance::done, &write_advance::slowest,
                                     &write_advance::slowest_bytes, &write_advance::slowest_done};
};

/// out: the progress of one rank
inline write_advance advance_of(int rank, std::uint64_t bytes, std::uint64_t done) {
  return bytes == 0 ? write_advance{} : write_advance{bytes, done, rank, bytes, done};
}

inline void add(write_advance& all, const write_advance& part) {
  const auto share = [](const write_advance& a) {
    return a.slowest_bytes == 0 ? 1.0 : static_cast<double>(a.slowest_done) / static_cast<double>(a.slowest_bytes);
  };
  all.bytes += part.bytes;
  all.done += part.done;
  if (part.slowest < 0 || (all.slowest >= 0 && share(all) <= share(part))) return;
  all.slowest = part.slowest;
  all.slowest_bytes = part.slowest_bytes;
  all.slowest_done = part.slowest_done;
}

/// The end of a checkpoint.
struct stored_end {
  bool committed = false;            // it is in the directory of checkpoints
  bool on_nodes = false;             // all ranks' images are on their nodes
  bool is_known = false;             // `builds_on` is known:
  std::vector<std::uint64_t> builds_on = {};     // for all ranks; ascending
};

/// Durations of a checkpoint's steps before its commit, in seconds.
struct checkpoint_times {
  double agree = 0, park = 0;        // until ranks knew where to stop; until all threads were parked
  double drain = 0;                  // until nothing was in flight
  double hold = 0;         // until the program could continue: images written, or memory held by processes of their own
  double store = 0;                  // until images were written while the program ran on
  double total = 0;                  // since the request
};

/// Stages of all ranks with respect to MPI. Each stage has its own control network.
enum class stage : std::uint8_t {
  in_mpi = 0,        // from MPI_Init to MPI_Finalize
  before_mpi = 1,    // no rank has left MPI_Init
  after_mpi = 2,     // all ranks have been in MPI_Finalize
};

/// A coordinator leaves this to the coordinator of the next stage, in the same process.
struct coordinator_memory {
  using time = std::chrono::steady_clock::time_point;
  bool asked = false, stop = false, copy = false;     // requested by a signal, the program or the interval
  std::optional<time> stop_at, next_interval;
  std::uint64_t committed = 0, last_generation = 0, last_on_nodes = 0;
  unsigned uncopied = 0;
  std::string last_result;
};

struct surroundings {
  int rank = 0, size = 1;
  stage where = stage::in_mpi;
  bool outlived = false;             // another network follows in this process, when all ranks have reported `ending`
  bool by_file = false;              // before_mpi: ranks find the coordinator by the job's file; no MPI runs
  std::optional<coordinator_memory> memory = {};      // of the previous coordinator, on rank 0
  bool has_mpi = true;               // false: a job of one process, whose program has none
  std::string cannot = {};           // before_mpi: why no checkpoint can be taken; empty: one can
  std::string directory;             // of checkpoints
  double interval_s = 0;             // 0: no automatic checkpoints
  double stop_after_s = 0;           // not 0: after this time, a checkpoint that ends the job
  int requests = -1;                 // eventfd, see lower::bridge::requests; -1: none
  /// A descriptor that is readable when the held program is told to end (process_state::end_watch); -1: none.
  int end_signals = -1;
  std::function<void(bool)> watch_ends = [](bool) {};    // if end_signals reports. On the agent's thread or a program's
  std::function<int()> told_to_end = [] { return 0; };         // out: the signal, if end_signals is readable; 0: none
  /// Whether the image that this rank is writing or copying is wanted. Any thread; does not wait.
  std::function<void(bool)> want_image = [](bool) {};
  double limit_s = 0;        // from a request until all threads are parked, and again for the drain; 0: default_limit_s
  bool forked = false;               // the program runs while processes of their own write; rank 0's value counts
  bool local = false;              // nodes hold the images, and copy them while the program runs; rank 0's value counts
  unsigned copy_every = 1;           // of COPY_EVERY checkpoints by the interval, one is copied
  bool verbose = false;
  std::string clock;                 // name of the policy; empty: the default
  std::string clock_trace;           // for the clock's traces; empty: none are written
  int fan_out = clock::default_fan_out;   // of the control tree; rank 0's value counts
  std::string program;
  /// From rank 0 to all. Collective, on the thread that calls begin().
  std::function<void(void* bytes, int n)> broadcast;
  /// Between two ranks, on the same thread. Few bytes: send() does not wait for receive().
  std::function<void(int to, const void* bytes, int n)> send;
  std::function<void(int from, void* bytes, int n)> receive;
  std::function<vid::group_clock*()> clocks;         // head of the list
  std::function<void()> signal_threads;              // sends the park signal to every running thread of the upper half
  std::function<bool()> all_parked;                  // all threads except the one that runs the checkpoint
  /// The threads that are not parked, as text; in: whether one runs the checkpoint.
  std::function<std::string(bool)> unparked = [](bool) { return std::string(); };
  /// The trivial barrier on a real communicator, as far as this rank can continue it without waiting.
  std::function<real<kind::request>(real<kind::comm> comm)> begin_barrier;
  std::function<bool(real<kind::request>& request)> is_barrier_over;
  std::function<void()> make_progress;               // of the live MPI's operations, on a thread that is in MPI
  std::function<write_advance()> advance = [] { return write_advance{}; };     // of this rank's image. Any thread; does not wait
  /// The end of a checkpoint that wrote or copied its images while the program ran. On the agent's thread: it does not
  /// wait.
  std::function<void(const commit_info&, stored_end)> stored;
  /// On rank 0, on the coordinator's thread. errors: std::exception, whose text the requester reads
  std::function<commit_info()> begin_generation;
  std::function<void(const commit_info&, std::span<const rank_written>, const checkpoint_times&)> commit;
  std::function<void(const commit_info&)> abandon;
  std::function<void()> tidy = [] {};        // removes what is no longer needed, after a commit, as the program runs; may take long
};

inline constexpr double default_limit_s = 600;

}  // namespace mana::control
