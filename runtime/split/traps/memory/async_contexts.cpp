#include <runtime/split/traps/memory/async_contexts.hpp>

#include <arch/stub_call.hpp>
#include <runtime/split/call/trap.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/window.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <span>

namespace mana::split {
namespace {

struct context {
  std::uintptr_t ring;               // 0: none
  std::size_t room;                  // bytes of the window that are reserved for the ring
  std::uint64_t asked;
  std::uint32_t events, seen_tail;   // of the ring
  std::uint64_t given, ended;        // requests
  bool waits_for_readiness, is_uncounted;
  raw_lock submitting;               // between two looks at the tail fewer requests may end than the ring has room for
};

/// The system's own limit (fs.aio-max-nr) is 65536 requests of all processes together.
constexpr std::size_t most_contexts = 1024;
constinit context all_contexts[most_contexts] = {};
constinit std::atomic<std::size_t> end_of_used{0};     // all contexts behind it were never used
constinit raw_lock contexts_lock;

std::span<context> noted_contexts() noexcept { return {all_contexts, end_of_used.load(std::memory_order_acquire)}; }

/// A child has copies of its creator's notes, but none of its contexts.
bool is_noted(const trap& t) noexcept { return t.role != process_role::forked; }

context* find(std::uintptr_t ring) noexcept {
  const std::scoped_lock hold(contexts_lock);
  for (context& c : noted_contexts())
    if (c.ring == ring && ring != 0) return &c;
  return nullptr;
}

bool note(std::uintptr_t ring, std::uint64_t asked, const async_ring& about, std::size_t room) noexcept {
  const std::scoped_lock hold(contexts_lock);
  for (context& c : all_contexts) {
    if (c.ring != 0) continue;
    c.room = room;
    c.asked = asked;
    c.events = about.events;
    c.seen_tail = about.tail;
    c.given = c.ended = 0;
    c.waits_for_readiness = c.is_uncounted = false;
    c.ring = ring;
    const auto end = static_cast<std::size_t>(&c - all_contexts) + 1;
    if (end > end_of_used.load(std::memory_order_relaxed)) end_of_used.store(end, std::memory_order_release);
    return true;
  }
  return false;
}

void forget(context& c) noexcept {
  const std::scoped_lock nobody_submits(c.submitting);
  const std::scoped_lock hold(contexts_lock);
  c.ring = 0;
}

void release(std::uintptr_t begin, std::size_t bytes) noexcept { window_at(begin).release({begin, begin + bytes}); }

/// out: false: there is no readable ring
bool look(const program_memory& memory, std::uintptr_t ring, async_ring& about) noexcept {
  return memory.read(&about, ring, sizeof about) == sizeof about && about.is_sound();
}

/// Counts the requests that have ended.
void count_ended(const program_memory& memory, context& c) noexcept {
  async_ring about{};
  if (!look(memory, c.ring, about) || about.events != c.events) return;
  c.ended += about.tail >= c.seen_tail ? about.tail - c.seen_tail : about.tail + c.events - c.seen_tail;
  c.seen_tail = about.tail;
}

std::uint64_t under_way(const context& c) noexcept { return c.given > c.ended ? c.given - c.ended : 0; }

/// Moves a ring from the kernel's choice of address. The kernel then uses the new address as the context's number.
/// out: the address; 0: there is no room
std::uintptr_t bring_in(std::uintptr_t ring, std::size_t bytes, std::size_t room) noexcept {
  for (;;) {
    const std::uintptr_t at = mmap_window().choose(room);
    if (at == 0) return 0;
    const auto to = static_cast<long>(at), size = static_cast<long>(bytes);
    const long held = raw_call(SYS_mmap, to, size, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);
    if (held == -EEXIST) continue;       // as in trap_mmap: the range stays taken
    const long moved = is_error(held) ? held
                                      : raw_call(SYS_mremap, static_cast<long>(ring), size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (!is_error(moved)) return at;
    if (!is_error(held)) raw_call(SYS_munmap, to, size);
    release(at, room);
    return 0;
  }
}

/// Gives a new context to the program.     out: 0 or -errno; then the context is gone
long hand_over(const trap& t, std::uintptr_t made) noexcept {
  async_ring about{};
  std::uintptr_t ring = made;
  std::size_t room = 0;
  long result = look(t.memory, made, about) ? 0 : -EAGAIN;
  if (result == 0) {
    const std::size_t bytes = ring_bytes(about);
    room = is_noted(t) ? ring_room(bytes) : bytes;
    const std::uintptr_t at = bring_in(made, bytes, room);
    if (at == 0) result = -ENOMEM;
    else ring = at;
  }
  if (result == 0) result = t.pointer<std::uint64_t>(1).put_whole(ring);
  if (result == 0 && is_noted(t) && !note(ring, static_cast<std::uint32_t>(t.arg(0)), about, room)) result = -EAGAIN;
  if (result == 0) return 0;
  raw_call(SYS_io_destroy, static_cast<long>(ring));
  if (ring != made) release(ring, room);
  return result;
}

constexpr std::size_t most_at_once = 16;       // requests that are read together: the stack may be small

/// The readiness for which io_submit itself waits, if the request's descriptor is not ready. 0: the request ends later,
/// or needs none.
short waits_within(const iocb& request) noexcept {
  switch (request.aio_lio_opcode) {
    case IOCB_CMD_PREAD:
    case IOCB_CMD_PREADV: return POLLIN;
    case IOCB_CMD_PWRITE:
    case IOCB_CMD_PWRITEV: return POLLOUT;
    default: return 0;
  }
}

bool would_wait(const iocb* requests, std::size_t count) noexcept {
  pollfd asked[most_at_once];
  for (std::size_t i = 0; i < count; ++i) {
    const short wanted = waits_within(requests[i]);
    asked[i] = {wanted == 0 ? -1 : static_cast<int>(requests[i].aio_fildes), wanted, 0};
  }
  raw_call(SYS_poll, as_word(asked), static_cast<long>(count), 0);
  return std::any_of(asked, asked + count, [](const pollfd& one) {
    return one.fd >= 0 && one.revents == 0 && (raw_call(SYS_fcntl, one.fd, F_GETFL) & O_NONBLOCK) == 0;
  });
}

/// Reads adjacent requests together.     out: their number, up to the first unreadable one
std::size_t read_requests(const trap& t, std::size_t first, std::size_t count, iocb* to) noexcept {
  std::uint64_t at[most_at_once];
  const std::size_t known = t.pointer<const std::uint64_t>(2).get_some(at, first, count);
  std::size_t done = 0;
  while (done < known) {
    std::size_t n = 1;
    while (done + n < known && at[done + n] == at[done] + n * sizeof(iocb)) ++n;
    const std::size_t got = program_pointer<const iocb>(t.memory, at[done]).get_some(to + done, 0, n);
    done += got;
    if (got < n) break;
  }
  return done;
}

/// Looks at the requests, up to the first unreadable one: the kernel takes none behind it.
/// out: true: io_submit itself may wait
bool look_at_requests(const trap& t, std::size_t count, context& c) noexcept {
  iocb requests[most_at_once];
  for (std::size_t first = 0; first < count; first += most_at_once) {
    const std::size_t wanted = std::min(most_at_once, count - first), n = read_requests(t, first, wanted, requests);
    if (std::any_of(requests, requests + n, [](const iocb& r) { return r.aio_lio_opcode == IOCB_CMD_POLL; }))
      c.waits_for_readiness = true;
    if (would_wait(requests, n)) return true;
    if (n < wanted) return false;
  }
  return false;
}

}  // namespace

/// io_setup(requests, context)
long trap_io_setup(trap& t) {
  std::uint64_t made = 0;
  if (t.pointer<const std::uint64_t>(1).get(made) != 0) return -EFAULT;
  const long result = raw_call(SYS_io_setup, t.arg(0), as_word(&made));
  return is_error(result) ? result : hand_over(t, made);
}

/// io_destroy(context) waits until no request is under way. No signal ends the wait.
long trap_io_destroy(trap& t) {
  const auto ring = static_cast<std::uintptr_t>(t.arg(0));
  async_ring about{};
  const bool is_ring = look(t.memory, ring, about);
  const long result = t.carry_out();
  if (is_error(result)) return result;
  context* const known = is_noted(t) ? find(ring) : nullptr;
  if (known != nullptr) {
    release(ring, known->room);
    forget(*known);
  } else if (is_ring) {
    release(ring, ring_bytes(about));
  }
  return result;
}

/// io_submit(context, count, requests), in parts: no more requests are under way than changes of the tail can count.
long trap_io_submit(trap& t) {
  context* const c = t.role == process_role::owner && t.arg(1) > 0 ? find(static_cast<std::uintptr_t>(t.arg(0))) : nullptr;
  if (c == nullptr) return continue_in_stub(t, stub().call);
  const long all = std::min(t.arg(1), static_cast<long>(c->events));
  if (look_at_requests(t, static_cast<std::size_t>(all), *c)) {
    c->is_uncounted = true;
    return continue_in_stub(t, stub().call);
  }
  const std::scoped_lock hold(c->submitting);
  if (c->ring != static_cast<std::uintptr_t>(t.arg(0))) return -EINVAL;      // another thread has destroyed it
  long done = 0, result = 0;
  do {
    count_ended(t.memory, *c);
    const long part = std::clamp(static_cast<long>(c->events) - 1 - static_cast<long>(under_way(*c)), 1L, all - done);
    result = raw_call(SYS_io_submit, t.arg(0), part, t.arg(2) + done * static_cast<long>(sizeof(std::uint64_t)));
    if (is_error(result)) break;
    done += result;
    c->given += static_cast<std::uint64_t>(result);
    if (result < part) break;
  } while (done < all);
  return done > 0 ? done : result;
}

std::vector<async_context> async_contexts() {
  const program_memory memory(0, false);
  std::vector<async_context> found;
  for (context& c : noted_contexts()) {
    async_ring about{};
    if (c.ring == 0 || !look(memory, c.ring, about) || about.events != c.events) continue;
    count_ended(memory, c);
    found.push_back({c.ring, c.asked, under_way(c), c.waits_for_readiness, c.is_uncounted});
  }
  return found;
}

bool note_async_context(std::uintptr_t ring, std::uint64_t asked) {
  async_ring about{};
  return look(program_memory(0, false), ring, about) && note(ring, asked, about, ring_room(ring_bytes(about)));
}

void keep_rooms_of_rings() noexcept {
  for (const context& c : noted_contexts())
    if (c.ring != 0) window_at(c.ring).take({c.ring, c.ring + c.room});
}

void note_moved(std::uintptr_t from, std::uintptr_t to) noexcept {
  if (noted_contexts().empty()) return;
  const std::scoped_lock hold(contexts_lock);
  for (context& c : noted_contexts()) {
    if (c.ring != from) continue;
    const std::size_t bytes = page_ceil(sizeof(async_ring) + std::size_t{c.events} * sizeof(io_event));
    release(from + bytes, c.room - bytes);
    c.room = bytes;
    c.ring = to;
  }
}

}  // namespace mana::split
