// The same with clocks that are ahead after the restart: a deadline stays as far off as before.
// environment: MANA_CLOCKS_AHEAD=-100
#include "clock_waits.h"
