// The needs of the program's objects of a live MPI. The upper half notes them when a rank has drained. The lower half
// writes them into the image, and a restart compares them with its live MPI. They lie in the wrapper library:
// upper_functions::needs has the address.
#pragma once
#include <mana/lower/neutral.hpp>

#include <cstdint>

namespace mana::lower {

/// Where a predefined object is used.
enum class needed_by : unsigned { datatype, operation };

inline constexpr unsigned predefined_words = neutral::predefined_limit / 64;

/// Append new members at the end.
struct program_needs {
  std::uint64_t bytes;                 // of the struct: members beyond it do not exist
  std::int64_t told_tag_bound;         // value of MPI_TAG_UB that the program has read; 0: it has not
  std::int64_t largest_tag;            // of messages that a restart starts again
  std::uint64_t large_counts;          // bit needed_by: some of them has counts that no int holds
  /// Bit n % 64 of word n / 64: the predefined datatype or operation with the neutral code n. A row for each needed_by:
  /// a derived datatype is made of it; an operation that a restart starts again names it.
  std::uint64_t predefined[2][predefined_words];
};

}  // namespace mana::lower
