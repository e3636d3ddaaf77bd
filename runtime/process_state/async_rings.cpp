#include <runtime/process_state/async_rings.hpp>

#include <runtime/split/window/raw.hpp>

#include <runtime/split/traps/memory/async_contexts.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace mana::process_state {

namespace {

using split::async_ring;
using time = std::chrono::steady_clock::time_point;

/// A disk answers or fails within this time. A request that waits for a peer (IOCB_CMD_POLL) may never end.
constexpr std::chrono::seconds longest_without_end{10}, longest_for_readiness{1};

std::string name_of(std::uintptr_t ring) {
  char text[64];
  std::snprintf(text, sizeof text, "the context 0x%lx of asynchronous I/O (io_setup)", static_cast<unsigned long>(ring));
  return text;
}

std::uint64_t all_under_way(const std::vector<split::async_context>& all) {
  std::uint64_t sum = 0;
  for (const split::async_context& c : all) sum += c.under_way;
  return sum;
}

[[noreturn]] void refuse(const std::vector<split::async_context>& all) {
  const auto c = std::ranges::find_if(all, [](const split::async_context& one) { return one.under_way != 0; });
  throw std::runtime_error(name_of(c->ring) + " has " + std::to_string(c->under_way) + " requests that do not "
                                                                                       "complete" +
                           (c->waits_for_readiness ? ", waits for a descriptor (IOCB_CMD_POLL) perhaps" : "") +
                           ": they cannot be saved; ask again after the program has read their events or destroyed "
                           "the context");
}

/// The kernel reports the end of a request only to a reader of its event. So this function polls the rings.
/// errors: std::runtime_error if no request ends for too long
std::vector<split::async_context> when_all_have_ended() {
  std::vector<split::async_context> all = split::async_contexts();
  std::uint64_t left = all_under_way(all);
  for (time last = std::chrono::steady_clock::now(); left != 0;) {
    const bool may_last = std::ranges::any_of(all, [](auto& c) { return c.under_way != 0 && c.waits_for_readiness; });
    if (std::chrono::steady_clock::now() - last > (may_last ? longest_for_readiness : longest_without_end)) refuse(all);
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
    all = split::async_contexts();
    const std::uint64_t now = all_under_way(all);
    if (now < left) last = std::chrono::steady_clock::now();
    left = now;
  }
  return all;
}

async_ring* ring_at(std::uint64_t address) noexcept { return reinterpret_cast<async_ring*>(address); }
io_event* events_of(async_ring* ring) noexcept { return reinterpret_cast<io_event*>(ring + 1); }

[[noreturn]] void fail(const async_ring_state& state, const std::string& what) {
  throw std::runtime_error(name_of(state.ring) + " cannot be made again: " + what);
}

/// A context that is being made. It is destroyed if a step fails.
class new_context {
 public:
  explicit new_context(const async_ring_state& state) : state_(state) {
    set_up(state.asked);
    if (split::ring_bytes(*ring()) >= state.bytes) return;
    // The machine of the checkpoint had more processors, and the kernel makes rings larger for each processor.
    syscall(SYS_io_destroy, id_);
    set_up((state.bytes / sizeof(io_event) - 3) / 2);
    if (split::ring_bytes(*ring()) < state.bytes) fail(state, "its ring is smaller here");
  }
  ~new_context() {
    if (id_ != 0) syscall(SYS_io_destroy, id_);
  }
  new_context(const new_context&) = delete;
  new_context& operator=(const new_context&) = delete;

  async_ring* ring() const noexcept { return ring_at(id_); }
  aio_context_t id() const noexcept { return id_; }
  void move_to(std::uint64_t to);
  void keep() noexcept { id_ = 0; }

 private:
  void set_up(std::uint64_t requests) {
    id_ = 0;
    if (syscall(SYS_io_setup, static_cast<unsigned>(requests), &id_) == 0) return;
    id_ = 0;
    const int error = errno;
    fail(state_, std::string("io_setup: ") + std::strerror(error) +
                     (error == EAGAIN ? "; raise the limit of all processes' requests (sysctl fs.aio-max-nr)" : ""));
  }

  const async_ring_state& state_;
  aio_context_t id_ = 0;
};

/// Replaces no memory that is in use.
void new_context::move_to(std::uint64_t to) {
  const std::size_t bytes = split::ring_bytes(*ring());
  void* const at = reinterpret_cast<void*>(to);
  constexpr int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (mmap(at, bytes, PROT_NONE, how, -1, 0) != at) fail(state_, "the memory of its ring is in use in this process");
  const long size = static_cast<long>(bytes);
  // Not libc's: UCX replaces it by a function of four arguments, which loses the new address.
  const long moved = split::raw_call(SYS_mremap, static_cast<long>(id_), size, size, MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<long>(to));
  if (split::is_error(moved)) {
    munmap(at, bytes);
    fail(state_, std::string("its ring cannot be moved: ") + std::strerror(static_cast<int>(-moved)));
  }
  id_ = to;
}

/// Requests that end at once and do nothing. Each moves the tail by one.
class idle_requests {
 public:
  explicit idle_requests(aio_context_t context) : context_(context), nothing_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    request_.aio_lio_opcode = IOCB_CMD_PWRITE;
    request_.aio_fildes = static_cast<std::uint32_t>(nothing_);
    request_.aio_buf = reinterpret_cast<std::uint64_t>(&request_);
    std::fill(std::begin(list_), std::end(list_), &request_);
  }
  ~idle_requests() { close(nothing_); }
  idle_requests(const idle_requests&) = delete;
  idle_requests& operator=(const idle_requests&) = delete;

  /// in: leaves  their events stay in the ring, as far as it has room
  /// out: false: errno says why
  bool make(std::uint64_t count, bool leaves) {
    while (count > 0) {
      const long n = syscall(SYS_io_submit, context_, std::min<std::uint64_t>(count, std::size(list_)), list_);
      if (n < 0 && errno == EAGAIN && leaves && take(1)) continue;
      if (n <= 0 || (!leaves && !take(n))) return false;
      count -= static_cast<std::uint64_t>(n);
    }
    return true;
  }

 private:
  bool take(long n) {
    io_event taken[std::size(decltype(list_){})];
    return syscall(SYS_io_getevents, context_, n, n, taken, nullptr) == n;
  }

  aio_context_t context_;
  int nothing_;
  iocb request_{};
  iocb* list_[64];
};

/// A ring with room for more events has them from the same index on.
void fill(const new_context& context, const async_ring_state& state) {
  async_ring& ring = *context.ring();
  idle_requests idle(context.id());
  if (!idle.make(state.head, false) || !idle.make(state.events.size(), true))
    fail(state, std::string("io_submit: ") + std::strerror(errno));
  for (std::size_t i = 0; i < state.events.size(); ++i)
    events_of(&ring)[(state.head + i) % ring.events] = state.events[i];
  ring.head = static_cast<std::uint32_t>(state.head);
}

}  // namespace

async_ring_state read_async_ring(std::uintptr_t ring, std::uint64_t asked) {
  async_ring* const from = ring_at(ring);
  if (!from->is_sound()) throw std::runtime_error(name_of(ring) + " has no ring");
  async_ring_state state{ring, asked, split::ring_bytes(*from), from->head, {}};
  for (std::uint32_t i = 0; i < from->untaken(); ++i)
    state.events.push_back(events_of(from)[(from->head + i) % from->events]);
  return state;
}

std::vector<async_ring_state> read_async_rings(std::vector<std::string>& warnings) {
  std::vector<async_ring_state> all;
  for (const split::async_context& c : when_all_have_ended()) {
    all.push_back(read_async_ring(c.ring, c.asked));
    if (c.is_uncounted)
      warnings.push_back(name_of(c.ring) + " has requests to a descriptor that was not ready: after a restart, "
                                           "requests that have not completed are lost");
  }
  return all;
}

void make_async_ring(const async_ring_state& state) {
  new_context context(state);
  fill(context, state);
  context.move_to(state.ring);
  if (!split::note_async_context(state.ring, state.asked)) fail(state, "there are too many");
  context.keep();
}

void make_async_rings(const std::vector<async_ring_state>& rings) {
  for (const async_ring_state& state : rings) make_async_ring(state);
}

}  // namespace mana::process_state
