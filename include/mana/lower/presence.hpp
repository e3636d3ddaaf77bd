// Whether this process has a lower half: a process that runs without mana may have loaded a wrapper library too.
#pragma once
#include <mana/arch/arch.hpp>
#include <mana/lower/abi.hpp>

#include <sys/syscall.h>
#include <unistd.h>

namespace mana::lower {

/// A thread of an upper half has its block in the window, and its block register points there. Other programs do not
/// use that register.
inline bool has_lower_half() noexcept {
#if defined(MANA_ONE_PROCESS)
  return true;
#else
  std::uintptr_t block = 0;
  return ::syscall(SYS_arch_prctl, arch::get_block_register, &block) == 0 && block >= threads_address && block < stub_address;
#endif
}

}  // namespace mana::lower
