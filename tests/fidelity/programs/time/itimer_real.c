// An interval timer (ITIMER_REAL): its signals continue after a line, and the remaining time is sensible.
#include "itimer.h"

int main(int argc, char** argv) { return run_interval_timer(argc, argv, ITIMER_REAL, SIGALRM); }
