// The same in C++, whose streams may have buffers of their own (MODE: own).
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

namespace {
std::ofstream notes("notes");
}

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(std::strcmp(argv[2], "own") != 0);
  MPI_Init(&argc, &argv);
  std::cout << "words of C++";
  std::clog << "FINAL log\n";
  notes << "notes of C++";
  if (std::strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (std::strcmp(argv[1], "assert") == 0) std::terminate();
  MPI_Finalize();
}
