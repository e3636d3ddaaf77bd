// What the kernel keeps once for all threads of a process.
#pragma once
#include <runtime/process_state/attribute.hpp>

#include <sys/resource.h>

namespace mana::process_state {

std::span<const attribute> process_attributes() noexcept;
/// Those of them that say what pages memory gets.
std::span<const attribute> process_attributes_of_memory() noexcept;

/// Resource limits, by their names in the image.
attribute_values read_limits();

/// What of a saved limit a process gets that has `here`: as much as it may. A lower hard limit stays.
rlimit fitted_limit(const rlimit& saved, const rlimit& here, bool may_raise) noexcept;

std::uint64_t soft_stack_limit() noexcept;
/// The main thread's stack is the saved one, and libc computes its size by the limit: as far as the new job's hard limit
/// goes. Nothing for 0.
void keep_stack_limit(std::uint64_t soft) noexcept;

/// out: limits that are lower than they were, in words
std::vector<std::string> write_limits(const attribute_values& wanted);

}  // namespace mana::process_state
