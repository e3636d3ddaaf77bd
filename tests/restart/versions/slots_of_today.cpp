// The generated table, under another name: later.cpp has the slots of a later minor.
#define the_mpi_slots slots_of_today
#include <lower_table.cpp>
