// The ways for threads to enter the upper half: as new programs, new threads and handlers. Each architecture's folder
// has the same names.
#pragma once

#if defined(__x86_64__)
#include <arch/x86_64/enter.hpp>
#else
#error "mana is not written for this architecture: there is no folder for it in arch/"
#endif
