// Contexts of the kernel's asynchronous input and output (io_setup) that the program has. The kernel's number of one is the address
// of a ring, which it maps where it likes, and which libaio and others read by themselves: so the ring is moved into the window.
//
// The kernel tells nobody how many requests are under way in a context. What it took of the program is counted, and the end of
// each moves the ring's tail by one: so every submission is a trap, and looks at the tail.
#pragma once
#include <runtime/split/window/window_map.hpp>

#include <linux/aio_abi.h>

#include <cstdint>
#include <vector>

namespace mana::split {

/// What a ring begins with, as the kernel has it; its events follow.
struct async_ring {
  std::uint32_t id;                  // in the kernel's table of this process
  std::uint32_t events;              // that there is room for; one is always free
  std::uint32_t head, tail;          // of events that nobody has taken: indices
  std::uint32_t magic, compatible, incompatible, header_bytes;

  static constexpr std::uint32_t right_magic = 0xa10a10a1;
  constexpr bool is_sound() const noexcept {
    return magic == right_magic && header_bytes == sizeof(async_ring) && head < events && tail < events;
  }
  constexpr std::uint32_t untaken() const noexcept { return tail >= head ? tail - head : tail + events - head; }
};

/// Of the whole mapping.
constexpr std::size_t ring_bytes(const async_ring& ring) noexcept {
  return page_ceil(sizeof(async_ring) + std::size_t{ring.events} * sizeof(io_event));
}

/// Address space of a ring: on a machine with more processors the kernel makes larger ones, for up to 1000 of them not more than this.
constexpr std::size_t ring_room(std::size_t bytes) noexcept {
  constexpr std::size_t least = 256u << 10;
  return bytes < least ? least : bytes;
}

struct async_context {
  std::uintptr_t ring;               // address, and the kernel's number
  std::uint64_t asked;               // of io_setup: how many requests at a time
  std::uint64_t under_way;           // requests that have not ended
  bool waits_for_readiness;          // some of its requests were IOCB_CMD_POLL, which may take for ever
  bool is_uncounted;                 // some of its requests were not counted, as io_submit itself could wait for them
};

/// All whose rings the program has not unmapped. All threads of the program are parked.
std::vector<async_context> async_contexts();

/// At a restart, before the window's map is made: this one was made again, and nothing is under way in it.
/// out: false: there are too many
bool note_async_context(std::uintptr_t ring, std::uint64_t asked);

/// When the window's map has been made: nothing else comes behind the rings.
void keep_rooms_of_rings() noexcept;

/// mremap has moved what was mapped at `from`.
void note_moved(std::uintptr_t from, std::uintptr_t to) noexcept;

}  // namespace mana::split
