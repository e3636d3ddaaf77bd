// Static data of 6 GiB, in a program that is linked for fixed addresses.
// flags: -mcmodel=large -fno-pie -no-pie
#define LARGE_BSS_GIB 6ul
#include "large_bss.h"
