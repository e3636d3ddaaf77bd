// The same in time namespaces: the first run's clocks are ahead by a million seconds, those of restarts are the
// machine's.
// needs: unshare --time --fork --monotonic 1 --boottime 1 true
// first run by: unshare --time --fork --monotonic 1000000 --boottime 1000000
#include "clock_waits.h"
