// Nothing: a library that only has the name of one of an MPI's C libraries.
typedef int nothing;
