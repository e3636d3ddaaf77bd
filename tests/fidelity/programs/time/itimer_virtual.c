// An interval timer (ITIMER_VIRTUAL): its signals go on after a line, and what is left is sensible.
#include "itimer.h"

int main(int argc, char** argv) { return run_interval_timer(argc, argv, ITIMER_VIRTUAL, SIGVTALRM); }
