// The program's contexts of the kernel's asynchronous input and output (io_setup). The kernel's number of a context is
// the address of its ring. The kernel chooses where it maps the ring, and libaio and others read the ring directly.
// Therefore the trap moves it into the window.
//
// The kernel does not report the number of requests under way in a context. Each request that ends moves the ring's
// tail by one. Every submission is therefore trapped, counts the requests, and looks at the tail.
#pragma once
#include <runtime/split/window/window_map.hpp>

#include <linux/aio_abi.h>

#include <cstdint>
#include <vector>

namespace mana::split {

/// The beginning of a ring, as the kernel has it; its events follow.
struct async_ring {
  std::uint32_t id;                  // in the kernel's table of this process
  std::uint32_t events;              // room for events; one place is always free
  std::uint32_t head, tail;          // of events that the program has not taken: indices
  std::uint32_t magic, compatible, incompatible, header_bytes;

  static constexpr std::uint32_t right_magic = 0xa10a10a1;
  constexpr bool is_sound() const noexcept {
    return magic == right_magic && header_bytes == sizeof(async_ring) && head < events && tail < events;
  }
  constexpr std::uint32_t untaken() const noexcept { return tail >= head ? tail - head : tail + events - head; }
};

/// Bytes of the whole mapping.
constexpr std::size_t ring_bytes(const async_ring& ring) noexcept {
  return page_ceil(sizeof(async_ring) + std::size_t{ring.events} * sizeof(io_event));
}

/// Address space for a ring. A kernel with more processors makes larger rings; up to 1000 processors they fit into
/// this.
constexpr std::size_t ring_room(std::size_t bytes) noexcept {
  constexpr std::size_t least = 256u << 10;
  return bytes < least ? least : bytes;
}

struct async_context {
  std::uintptr_t ring;               // address, and the kernel's number
  std::uint64_t asked;               // by io_setup: number of requests at a time
  std::uint64_t under_way;           // requests that have not ended
  bool waits_for_readiness;          // some of its requests were IOCB_CMD_POLL, which may take forever
  bool is_uncounted;                 // some of its requests were not counted, as io_submit itself could wait for them
};

/// All contexts whose rings the program has not unmapped. All threads of the program must be parked.
std::vector<async_context> async_contexts();

/// At a restart, before the window's map is made: the context was made again, and no request is under way in it.
/// out: false: there are too many
bool note_async_context(std::uintptr_t ring, std::uint64_t asked);

/// Reserves room behind the rings, once the window's map is made.
void keep_rooms_of_rings() noexcept;

/// mremap has moved the mapping at `from`.
void note_moved(std::uintptr_t from, std::uintptr_t to) noexcept;

}  // namespace mana::split
