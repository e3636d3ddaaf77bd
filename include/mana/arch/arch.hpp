// The upper half's interface to the processor. Each architecture has a folder that defines the same names.
#pragma once

#if defined(__x86_64__)
#include <mana/arch/x86_64/increment.hpp>
#include <mana/arch/x86_64/raw_syscall.hpp>
#include <mana/arch/x86_64/relax.hpp>
#include <mana/arch/x86_64/thread_registers.hpp>
#else
#error "mana is not written for this architecture: there is no folder for it in include/mana/arch"
#endif
