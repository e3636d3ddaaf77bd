// Attributes of each thread, besides its registers, mask and stacks.
#pragma once
#include <runtime/process_state/attribute.hpp>

namespace mana::process_state {

/// The thread itself reads and sets them.
std::span<const attribute> thread_attributes() noexcept;

// scheduling.cpp
std::uint64_t usable_processors();           // of the calling thread
words read_scheduling();
bool write_scheduling(const words& value);
words read_io_priority();
bool write_io_priority(const words& value);
words read_affinity();
bool write_affinity(const words& value);
words read_memory_policy();
bool write_memory_policy(const words& value);

}  // namespace mana::process_state
