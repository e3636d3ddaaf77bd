// Registers of an interrupted thread, named by their use, and system calls as instructions. Each architecture's folder
// has the same names.
//
// INV-97 code for one processor is in arch/ or in include/mana/arch, code for one MPI in its folder of mpis/.
#pragma once

#if defined(__x86_64__)
#include <arch/x86_64/registers.hpp>
#else
#error "mana is not written for this architecture: there is no folder for it in arch/"
#endif
