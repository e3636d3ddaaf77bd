// Symbols of a shared object that is mapped, but not loaded by a dynamic linker: the live vDSO and the stub.
#pragma once
#include <runtime/split/window/window_map.hpp>

namespace mana::split {

/// Address of the exported symbol; 0: there is none.     in: image  start of the mapped file
std::uintptr_t find_symbol(std::uintptr_t image, const char* name) noexcept;

/// The addresses that the object's loadable segments cover.
address_range image_range(std::uintptr_t image) noexcept;

}  // namespace mana::split
