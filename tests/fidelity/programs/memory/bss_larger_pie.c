// Static data of 9 GiB, in a position independent program: more than fits before the stack.
// flags: -mcmodel=large -fPIE -pie
#define LARGE_BSS_GIB 9ul
#include "large_bss.h"
