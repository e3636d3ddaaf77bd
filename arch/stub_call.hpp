// The stub's frame for a call that it makes in the program's place. Each architecture's folder has the same names.
#pragma once

#if defined(__x86_64__)
#include <arch/x86_64/stub_call.hpp>
#else
#error "mana is not written for this architecture: there is no folder for it in arch/"
#endif
