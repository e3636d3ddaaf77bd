// Programs to check: what each rank does, in order.
#pragma once
#include <coroutine>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace clock_model {

enum class act : std::uint8_t {
  compute,     // may take as long as it likes
  send,        // eager: ends at once
  ssend,       // synchronous, or rendezvous: ends when the receive was posted
  recv,        // of `with`
  recv_any,    // of anyone
  isend,       // synchronous, non-blocking: request in `slot`
  irecv,       // of `with`: request in `slot`
  wait,        // for the request in `slot`
  lock,        // number `with`, alone: a place behind all who asked before
  share,       // number `with`, with others: a place behind those who asked before to be alone
  unlock,      // number `with`
  sync,        // blocking collective on group `with`: all wait for all
  rooted,      // a broadcast: the first member leaves at once, the others wait for it
  reduce,      // the first member waits for all, the others leave at once
  icoll,       // non-blocking collective of all: request in `slot`
  make,        // all of group `with` make a communicator: group `slot`
  free,        // all of group `with` free its communicator: nobody waits. The last on it
  fence        // of a window of group `with`: all wait for all
};

struct op {
  act what = act::compute;
  int with = 0, slot = 0;
  auto operator<=>(const op&) const = default;
};
constexpr int max_slots = 3;

inline bool is_collective(act a) { return a >= act::sync; }
inline bool is_lock(act a) { return a == act::lock || a == act::share; }

using group = std::vector<int>;                // world ranks, ascending
using rank_ops = std::vector<op>;
struct script {
  std::vector<rank_ops> ranks;
  std::vector<group> groups;
  /// By group: it is there from the beginning, not made by an operation.
  bool is_given(int g) const;
  int size() const { return static_cast<int>(ranks.size()); }
  /// How many locks there are: their numbers are below.
  std::size_t locks() const;
};

std::string name_of_group(int g);              // A, B, …
/// For people: "recv(2)", "sync(A)"
std::string describe(const op& o);
/// One line per rank, then the groups.
std::string describe(const script& s);

// ---- programs as coroutines: `program halo(rank_info me) { co_yield send(me.right()); … }`

struct rank_info {
  int rank = 0, size = 0;
  int right() const { return (rank + 1) % size; }
  int left() const { return (rank + size - 1) % size; }
};

/// A coroutine that yields a rank's operations.
class program {
 public:
  struct promise_type {
    rank_ops made;
    program get_return_object() { return program(handle::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_never yield_value(op o) {
      made.push_back(o);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using handle = std::coroutine_handle<promise_type>;

  explicit program(handle h) : handle_(h) {}
  program(program&& from) noexcept : handle_(std::exchange(from.handle_, {})) {}
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() {
    if (handle_) handle_.destroy();
  }
  const rank_ops& operations() const { return handle_.promise().made; }

 private:
  handle handle_;
};

inline op compute() { return {act::compute, 0, 0}; }
inline op send(int to) { return {act::send, to, 0}; }
inline op ssend(int to) { return {act::ssend, to, 0}; }
inline op recv(int from) { return {act::recv, from, 0}; }
inline op recv_any() { return {act::recv_any, 0, 0}; }
inline op isend(int to, int slot) { return {act::isend, to, slot}; }
inline op irecv(int from, int slot) { return {act::irecv, from, slot}; }
inline op wait(int slot) { return {act::wait, 0, slot}; }
inline op barrier(int g) { return {act::sync, g, 0}; }
inline op broadcast(int g) { return {act::rooted, g, 0}; }
inline op reduce(int g) { return {act::reduce, g, 0}; }
inline op ibarrier(int g, int slot) { return {act::icoll, g, slot}; }
inline op make_group(int parent, int made) { return {act::make, parent, made}; }

inline op lock(int number) { return {act::lock, number, 0}; }
inline op share(int number) { return {act::share, number, 0}; }
inline op unlock(int number) { return {act::unlock, number, 0}; }
inline op fence(int g) { return {act::fence, g, 0}; }
/// MPI_Win_post's token, MPI_Win_start's wait for it; MPI_Win_complete's, MPI_Win_wait's.
inline op post(int to) { return send(to); }
inline op start(int target) { return recv(target); }
inline op complete(int target) { return send(target); }
inline op await(int origin) { return recv(origin); }

inline op free_group(int g) { return {act::free, g, 0}; }

struct named_program {
  std::string name;
  script what;
};
/// The ones that have names.
std::vector<named_program> named_programs();

}  // namespace clock_model
