// Whether memory that is unchanged from a file of the program is better stored once for all ranks of a node.
#pragma once
#include <runtime/image/format/packing.hpp>
#include <runtime/image/format/regions.hpp>
#include <runtime/image/origins/program_files.hpp>

#include <cstdint>
#include <vector>

namespace mana::image {

/// The smallest part, of 1, that packing leaves of text that compilers make. The smallest, because in doubt nothing is
/// shared. Packing leaves as little as 14 % of text with a sanitizer's additions.
double least_left_of_text(const packing& how) noexcept;

/// Whether a copy takes no more bytes than all ranks of the node would store of the file otherwise. One rank judges for
/// all: it takes the others to have as much of the file in memory as itself.
/// in: of_file  bytes in this rank's memory that seem unchanged, without comparing
///     of_copy  bytes of the copy, which is not packed
///     ranks    of the node
bool is_worth_a_copy(std::uint64_t of_file, std::uint64_t of_copy, unsigned ranks, const packing& how) noexcept;

/// Chooses the files that are worth a copy. Memory that the program can write to counts as changed.
/// in: both ascending
program_files::choice files_worth_a_copy(const std::vector<file_origin>& origins, const std::vector<region>& regions, unsigned ranks,
                                         const packing& how);

}  // namespace mana::image
