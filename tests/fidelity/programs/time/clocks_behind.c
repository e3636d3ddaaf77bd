// Waits until a time, timers and clocks of a node on which the program is restarted by clocks that are behind: as if
// booted later.
// environment: MANA_CLOCKS_AHEAD=1000000
#include "clock_waits.h"
