// Facts of this architecture in ELF files and the dynamic linker. Each architecture's folder has the same names.
#pragma once

#if defined(__x86_64__)
#include <arch/x86_64/elf.hpp>
#else
#error "mana is not written for this architecture: there is no folder for it in arch/"
#endif
