// Waits until a time, timers and clocks after a restart on a node whose clocks are behind, as if booted later.
// environment: MANA_CLOCKS_AHEAD=1000000
#include "clock_waits.h"
