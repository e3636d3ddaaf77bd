// A lower half without MPI, for tests of wrappers in one process: each of its functions does what the test says (script.hpp).
// The test is rank 1 of 4. What only makes and frees objects has an answer in stock, and every handle that crosses is
// checked: it has to be one that this lower half has given out and not ended. What moves data or waits is unexpected unless
// the test says otherwise.
#pragma once
#include "script.hpp"

#include <mana/core/handle.hpp>
#include <mana/lower/abi.hpp>
#include <mana/lower/inventory.hpp>

#include <mana/gen/lower_slots.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace mana::scripted {

using lower::mpi_slots;
using lower::services;
using lower::wait_end;

inline constexpr int world_size = 4, own_rank = 1;

/// Fills the bridge: this is the process's lower half from now on.
void attach();
/// Between two tests: only the stock answers. What was expected and never came fails the test.
void end_of_script();

// --- handles of the lower half. Predefined objects have another one after each restart.
namespace bits {
std::uint64_t make(kind_code kind, std::vector<int> group);
void end(kind_code kind, std::uint64_t real);
void check_live(kind_code kind, std::uint64_t real);
}  // namespace bits
/// A new one. group: world ranks, of a communicator; empty: all
template <class K>
real<K> make(std::vector<int> group = {}) { return real<K>(bits::make(K::code, std::move(group))); }
/// It ends. One that is not there fails the test.
template <class K>
void end(real<K> handle) { bits::end(K::code, handle.bits()); }
/// Fails the test unless it is there, or predefined.
template <class K>
void check_live(real<K> handle) { bits::check_live(K::code, handle.bits()); }
std::size_t live_count(kind_code kind);
/// All of them, without the predefined ones.
std::size_t live_count();

// --- requests of the lower half
/// One that is pending until complete() is called for it, or a drain: at_drain.
real<kind::request> pending_request(bool at_drain);
/// The next test or wait takes it.
void complete(real<kind::request> request, neutral::status status = {});
/// What test_some and wait_some do in stock: those that are complete become 0. out: how many
int take_completed(int n, real<kind::request>* requests, neutral::status* statuses);
/// How many are pending.
std::size_t pending_requests();

template <auto Member>
inline constexpr bool is_receive = Member == nullptr;
template <>
inline constexpr bool is_receive<&services::irecv> = true;
template <>
inline constexpr bool is_receive<&services::recv> = true;

/// The next call succeeds, and its request, the last argument, is pending. meanwhile: runs in the call
/// out: the handle, once the call has come
template <auto Member>
std::shared_ptr<real<kind::request>> expect_start(std::function<void()> meanwhile = [] {}) {
  auto made = std::make_shared<real<kind::request>>();
  expect<Member>().does([made, meanwhile](auto... a) {
    *made = *std::get<sizeof...(a) - 1>(std::tuple(a...)) = pending_request(!is_receive<Member>);
    meanwhile();
    return int{neutral::success};
  });
  return made;
}

// --- messages on their way to this rank: what mprobe and probe find, and drains receive
struct message {
  real<kind::comm> comm;
  int source, tag;
  std::string bytes;
};
void arrive(message m);
/// Those that nobody has taken are gone.
void forget_network();

// --- checkpoints
/// What a thread that parks finds.
enum class outcome { resumes, restarts, is_given_up };
inline constexpr outcome all_ways[] = {outcome::resumes, outcome::restarts, outcome::is_given_up};
inline constexpr const char* way_names[] = {"resumes", "restarts", "is given up"};
/// A checkpoint is pending: what the fast paths look at.
void raise_attention();
/// The line is declared: a thread that comes to its park point drains and is saved, and all goes `how`.
wait_end declare_line(outcome how);
/// The next call of Member, a wait, finds nothing but attention; the line is declared when the clock hears of it.
template <auto Member>
void expect_checkpoint_in(outcome how) {
  expect<Member>().does([] {
    raise_attention();
    return int{neutral::success};
  });
  expect<&services::clock_wait>().does([how] { return declare_line(how); });
}
/// What a thread that parks finds, step by step.
outcome begin_checkpoint();
void begin_new_process();
void end_checkpoint();
/// What the thread that runs checkpoints does; those of other threads are none of the wrappers'.
template <class Program>
void run_checkpoint_of() {
  const outcome how = begin_checkpoint();
  Program program;
  if (program.drain() && how == outcome::restarts) {
    program.before_image();
    begin_new_process();
    program.restarted();
  }
  end_checkpoint();
}
/// In place of that of a program with MPI's classes of objects; nullptr: that one again.
void set_checkpoint(void (*run)());
/// Runs when the next checkpoint is over, in the process that goes on.
void after_checkpoint(std::function<void()> act);
/// Another thread of the program's: it is parked, as long as a checkpoint lasts, where it comes to a park point. This thread's
/// checkpoint begins when it is.
class other_thread {
 public:
  explicit other_thread(std::function<void()> body);
  ~other_thread() { thread_.join(); }
  other_thread(const other_thread&) = delete;
  other_thread& operator=(const other_thread&) = delete;

 private:
  std::thread thread_;
};
/// How often a thread has been saved since the test began.
int parks();
/// A mail for the next drain, as the wrappers of another rank would send it.
void send_mail(int from, std::string bytes);

// --- what the lower half has heard
const std::vector<std::string>& notes();
std::optional<int> aborted_with();

/// Live ids by lower::counted, as an image's inventory has them.
std::array<std::uint64_t, lower::inventory_names.size()> inventory();

/// All members of a communicator have the same: MPI_Allreduce of int64 for one.
int agree(const void* own, void* result, int n, real<kind::datatype>, real<kind::op>, real<kind::comm>);

}  // namespace mana::scripted
