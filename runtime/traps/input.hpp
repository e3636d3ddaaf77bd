// How much the program has read of what the launcher sends to its standard input: a pipe, which no restart can read
// once more.
#pragma once
#include <cstdint>

namespace mana::split {

/// Whether reads of descriptor 0 are trapped, and how many bytes were read of it before. Before the filter is
/// installed.
void count_input(bool counts, std::uint64_t already) noexcept;

bool counts_input() noexcept;

/// Bytes. Of the owner's own calls; what children read, or the program by another number, is not among them.
std::uint64_t input_read() noexcept;

}  // namespace mana::split
