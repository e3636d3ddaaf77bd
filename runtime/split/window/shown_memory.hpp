// Memory of the live MPI that the upper half shows too: windows' memory that ranks of a node share. Other ranks write to it.
// A restart has another live MPI and perhaps other nodes, so it begins with memory that no other rank maps, and the wrappers
// share it again.
//
// INV-126 an image has this rank's view of such memory as memory of its own: no file, no object that others share. Until then it
// is treated as shared memory: its pages are never believed unwritten, and are written before the program continues. The same
// holds for lock words, which the wrappers put into files of a name of their own.
#pragma once
#include <runtime/split/window/window_map.hpp>

#include <string_view>

namespace mana::split {

/// A trap has made the mapping, or has mapped something else there, or nothing. Never calls malloc.
void note_shown(address_range r) noexcept;
void forget_shown(address_range r) noexcept;

/// Whether images have a shared mapping as the process's own memory.       in: path  of its file, as the kernel lists it
bool is_own_in_images(address_range r, std::string_view path) noexcept;

}  // namespace mana::split
