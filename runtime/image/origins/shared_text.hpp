// Whether memory that is as it is in a file of the program's is better stored once for the ranks of a node.
#pragma once
#include <runtime/image/format/packing.hpp>
#include <runtime/image/format/regions.hpp>
#include <runtime/image/origins/program_files.hpp>

#include <cstdint>
#include <vector>

namespace mana::image {

/// What packing leaves of programs' text, of 1, where it packs best of what compilers make: in doubt nothing is shared. Text that a
/// sanitizer was added to is left by as little as 14 %.
double least_left_of_text(const packing& how) noexcept;

/// Whether a copy takes no more bytes than what all ranks of the node would store of the file otherwise, as far as one of them can
/// know: the others have the same of it in memory.
/// in: of_file  bytes that this rank has in memory, unchanged as far as it can be told without comparing
///     of_copy  bytes that a copy would have, which is not packed
///     ranks    of the node
bool is_worth_a_copy(std::uint64_t of_file, std::uint64_t of_copy, unsigned ranks, const packing& how) noexcept;

/// The files of which that is so. What the program can write to is taken to differ from its file.     in: both ascending
program_files::choice files_worth_a_copy(const std::vector<file_origin>& origins, const std::vector<region>& regions, unsigned ranks,
                                         const packing& how);

}  // namespace mana::image
