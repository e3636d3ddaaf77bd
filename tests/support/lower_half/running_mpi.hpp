// What a test of wrappers stands on: an MPI that runs over the scripted lower half, and a look at the end whether anything
// was left behind.
#pragma once
#include "scripted.hpp"

#include <mpi.h>

#include <string>
#include <vector>

namespace mana::scripted {

/// An error that an error handler of the test has heard.
struct heard_error {
  MPI_Comm comm;
  int code;
};

/// Fixture. MPI is initialised by the first test of the process, and goes on. MPI_COMM_WORLD's handler notes errors and returns.
class running_mpi {
 public:
  running_mpi();
  /// Fails the test if it leaves ids of the program's, handles of the lower half, or expectations.
  ~running_mpi();
  running_mpi(const running_mpi&) = delete;
  running_mpi& operator=(const running_mpi&) = delete;

  /// Errors that a handler has heard, the last first forgotten.
  static std::vector<heard_error> heard();
  /// A handler that notes errors, and returns.
  static MPI_Errhandler noting();

 private:
  std::array<std::uint64_t, lower::inventory_names.size()> ids_;
  std::size_t reals_;
};

/// The error class of what a call returned.
int class_of(int code);
/// A call's error: its class, and that a handler has heard of it, on this communicator.
void check_error(int code, int error_class, MPI_Comm comm = MPI_COMM_WORLD);

}  // namespace mana::scripted
