// INV-80: a context of asynchronous I/O that is made again has the events that nobody had taken, at their places, at its old address.
#include <runtime/process_state/async_rings.hpp>

#include <runtime/split/traps/memory/async_contexts.hpp>

#include "../long_run.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace process_state_async_rings_tests {

using namespace mana::process_state;
using mana::split::async_ring;

namespace {

const async_ring& ring_at(std::uintptr_t context) { return *reinterpret_cast<const async_ring*>(context); }

aio_context_t set_up(unsigned requests) {
  aio_context_t made = 0;
  if (syscall(SYS_io_setup, requests, &made) != 0) MESSAGE("not tested: io_setup: " << std::strerror(errno));
  return made;
}

void write_nothing(aio_context_t context, std::uint64_t data) {
  const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  iocb request{};
  request.aio_lio_opcode = IOCB_CMD_PWRITE;
  request.aio_fildes = static_cast<std::uint32_t>(fd);
  request.aio_nbytes = 4;
  request.aio_buf = reinterpret_cast<std::uint64_t>("four");
  request.aio_data = data;
  iocb* list[] = {&request};
  CHECK(syscall(SYS_io_submit, context, 1L, list) == 1);
  close(fd);
}

/// The data of the next event; 0: there is none.
std::uint64_t take(aio_context_t context) {
  io_event event{};
  const timespec none{};
  return syscall(SYS_io_getevents, context, 1L, 1L, &event, &none) == 1 ? event.data : 0;
}

void write_and_take(aio_context_t context, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    write_nothing(context, 7);
    CHECK(take(context) == 7);
  }
}

/// Where the program's memory lies, and no kernel maps by itself.
constexpr aio_context_t place = 0x3000'0000'0000;

/// What is in it, of a context that is at that place; it is destroyed.
async_ring_state taken_away(aio_context_t context) {
  async_ring_state state = read_async_ring(context, 8);
  CHECK(syscall(SYS_io_destroy, context) == 0);
  state.ring = place;
  return state;
}

/// out: `place`
aio_context_t made_again(aio_context_t context) {
  make_async_ring(taken_away(context));
  return place;
}

}  // namespace

TEST_CASE("an idle context takes requests again") {
  aio_context_t context = set_up(8);
  if (context == 0) return;
  const std::uint32_t events = ring_at(context).events;
  context = made_again(context);
  CHECK(ring_at(context).events == events);
  CHECK(take(context) == 0);
  write_and_take(context, 3 * events);
  CHECK(syscall(SYS_io_destroy, context) == 0);
}

TEST_CASE("events that nobody took are there, at every place of the ring") {
  aio_context_t context = set_up(8);
  if (context == 0) return;
  const std::uint32_t events = ring_at(context).events;
  const std::uint32_t rounds = is_long_run() ? events + 1 : 2 * events / 11;        // a round moves on by 11: twice around
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint64_t i = 1; i <= 8; ++i) write_nothing(context, 100 + i);
    const std::uint32_t head = ring_at(context).head, tail = ring_at(context).tail;
    context = made_again(context);
    CHECK(ring_at(context).head == head);
    CHECK(ring_at(context).tail == tail);
    for (std::uint64_t i = 1; i <= 8; ++i) CHECK(take(context) == 100 + i);
    CHECK(take(context) == 0);
    write_and_take(context, 3);
  }
  CHECK(syscall(SYS_io_destroy, context) == 0);
}

TEST_CASE("a ring of a machine with other numbers of processors") {
  const aio_context_t context = set_up(8);
  if (context == 0) return;
  async_ring_state state = taken_away(context);
  state.bytes = 5 * 4096;
  state.head = 600;
  for (std::uint64_t i = 0; i < 100; ++i) state.events.push_back({i + 1, 0, 0, 0});
  make_async_ring(state);
  CHECK(ring_at(place).events >= state.bytes / sizeof(io_event) - 1);
  for (std::uint64_t i = 0; i < 100; ++i) CHECK(take(place) == i + 1);
  write_and_take(place, 10);
  CHECK(syscall(SYS_io_destroy, place) == 0);
}

TEST_CASE("memory in the place of a ring is left alone, and no context stays") {
  const aio_context_t context = set_up(8);
  if (context == 0) return;
  const async_ring_state state = taken_away(context);
  void* const at = reinterpret_cast<void*>(place);
  REQUIRE(mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at);
  CHECK_THROWS_AS(make_async_ring(state), std::runtime_error);
  CHECK(*static_cast<char*>(at) == 0);
  munmap(at, 4096);
  make_async_ring(state);
  CHECK(syscall(SYS_io_destroy, place) == 0);
}

}  // namespace process_state_async_rings_tests
