// The same with clocks that are ahead after the restart: a deadline is as far off as it was.
// environment: MANA_CLOCKS_AHEAD=-100
#include "clock_waits.h"
