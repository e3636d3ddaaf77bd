// Contexts of the kernel's asynchronous input and output. An image has no request under way. Events that nobody has
// taken wait in a ring that the kernel maps (async_contexts.hpp). A restart lets the kernel make the contexts again,
// and moves the tail of each ring to its place by requests that do nothing. Then it writes the events, and moves the
// ring to its old address, by which the kernel knows it.
#pragma once
#include <runtime/process_state/attribute.hpp>

#include <linux/aio_abi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::process_state {

struct async_ring_state {
  std::uint64_t ring = 0;                  // address
  std::uint64_t asked = 0;                 // of io_setup: requests at a time
  std::uint64_t bytes = 0;                 // of the mapping
  std::uint64_t head = 0;                  // index of the first event
  std::vector<io_event> events;            // not yet taken, the oldest first
};

/// INV-80 an image has no context with a request under way, and each event that the program had not taken, once.
/// Because: mana waits for the requests of all contexts after all threads of the program have stopped. It does so
/// before it saves anything that their end changes (eventfd, files). An event keeps its index, for programs that read
/// the ring without the kernel. Checked: tests/fidelity/programs/files/aio_kernel.c,
/// tests/unit/process_state/async_rings.cpp.
///
/// in:     warnings  receives what a restart may lack
/// errors: std::runtime_error if a request does not end
std::vector<async_ring_state> read_async_rings(std::vector<std::string>& warnings);

/// The ring at this address, with no request under way.
/// errors: std::runtime_error if the address has no ring
async_ring_state read_async_ring(std::uintptr_t ring, std::uint64_t asked);

/// Call in a new process, in which nothing is mapped at their addresses.
/// errors: std::runtime_error
void make_async_rings(const std::vector<async_ring_state>& rings);
void make_async_ring(const async_ring_state& state);

}  // namespace mana::process_state
