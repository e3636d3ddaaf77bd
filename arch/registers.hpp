// Registers of an interrupted thread, by what they are for; system calls as instructions. A folder for each architecture has the
// same names.
//
// INV-97 what is one processor's is in arch/ or in include/mana/arch, what is one MPI's in its folder of mpis/.
#pragma once

#if defined(__x86_64__)
#include <arch/x86_64/registers.hpp>
#else
#error "mana is not written for this architecture: there is no folder for it in arch/"
#endif
