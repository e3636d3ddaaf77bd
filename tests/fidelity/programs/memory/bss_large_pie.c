// Static data of 6 GiB, in a position independent program.
// flags: -mcmodel=large -fPIE -pie
#define LARGE_BSS_GIB 6ul
#include "large_bss.h"
