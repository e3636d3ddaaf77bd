// 10 thousand mappings of a page each, whose protections keep the kernel from joining them.
#include "mappings.h"

int main(int argc, char** argv) { return run_mappings(argc, argv, 10000); }
