// Contexts of the kernel's asynchronous input and output: nothing is under way in what is saved, and events that nobody has taken
// wait in a ring that the kernel maps (async_contexts.hpp). A restart has the kernel make the contexts again, brings each ring to
// its tail by requests that do nothing, puts the events there, and moves it to its old address, by which the kernel knows it.
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
  std::vector<io_event> events;            // that nobody has taken, the oldest first
};

/// INV-80 an image has no context with a request under way, and each event that the program had not taken, once.
/// Because: the requests of all contexts are waited for when no thread of the program makes any, and before anything is saved that
/// their end changes (eventfd, files). An event's place stays the same for who reads the ring without the kernel.
/// Checked: tests/fidelity/programs/files/aio_kernel.c, tests/unit/process_state/async_rings.cpp.
///
/// in:     warnings  what a restart may not have is added
/// errors: std::runtime_error if a request does not end
std::vector<async_ring_state> read_async_rings(std::vector<std::string>& warnings);

/// Of the ring at this address, in which nothing is under way.
/// errors: std::runtime_error if there is none
async_ring_state read_async_ring(std::uintptr_t ring, std::uint64_t asked);

/// In a new process, where nothing is mapped at their addresses.
/// errors: std::runtime_error
void make_async_rings(const std::vector<async_ring_state>& rings);
void make_async_ring(const async_ring_state& state);

}  // namespace mana::process_state
