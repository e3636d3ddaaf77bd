// Attributes that all threads of a process share.
#pragma once
#include <runtime/process_state/attribute.hpp>

#include <sys/resource.h>

namespace mana::process_state {

std::span<const attribute> process_attributes() noexcept;
/// The attributes that decide the kind of pages for memory.
std::span<const attribute> process_attributes_of_memory() noexcept;

/// Resource limits, by their names in the image.
attribute_values read_limits();

/// The part of a saved limit that a process with the limit `here` may have. A lower hard limit stays.
rlimit fitted_limit(const rlimit& saved, const rlimit& here, bool may_raise) noexcept;

std::uint64_t soft_stack_limit() noexcept;
/// The main thread's stack is the saved one, and libc computes its size from the limit. So the limit is kept, as far as
/// the new job's hard limit permits. 0: does nothing.
void keep_stack_limit(std::uint64_t soft) noexcept;

/// out: limits that are lower than before, as text
std::vector<std::string> write_limits(const attribute_values& wanted);

}  // namespace mana::process_state
