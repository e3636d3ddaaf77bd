// The program's error handlers run after the wrapper that found the error: in the frame of the MPI function itself,
// which has nothing to undo. So a handler may throw, jump away, or take as long as it likes.
#pragma once
#include <mpi.h>

#include <climits>

namespace mana::object {

/// How a handler that is not C's is called. object: address of the handle.
using handler_proxy = void (*)(void (*function)(), void* object, int* code);

/// The handler that is due on this thread. Only the last error of a wrapper counts.
struct due_handler {
  void (*function)() = nullptr;
  handler_proxy by_proxy = nullptr;
  alignas(8) char object[8] = {};       // the handle of the object with the error, of any kind, or its Fortran number
  int code = MPI_SUCCESS;               // of the program's mpi.h
};
inline constinit thread_local due_handler due{};

/// The result of a wrapper that succeeds, but whose handler is due.
inline constexpr int succeeds_after_handler = INT_MIN;

/// Runs the handler that is due, if any. in: rc  of the wrapper      out: the MPI function's result
[[gnu::noinline, gnu::cold]] inline int run_due_handler(int rc) {
  due_handler it = due;
  due = due_handler{};                                      // the handler may call MPI
  if (it.function == nullptr) return rc == succeeds_after_handler ? int{MPI_SUCCESS} : rc;
  using c_function = void (*)(void*, int*, ...);
  if (it.by_proxy != nullptr) it.by_proxy(it.function, it.object, &it.code);
  else reinterpret_cast<c_function>(it.function)(it.object, &it.code);
  return rc == succeeds_after_handler ? int{MPI_SUCCESS} : it.code;
}

/// Wraps each function that returns an error code.
[[gnu::always_inline]] inline int finish(int rc) {
  return rc == MPI_SUCCESS ? rc : run_due_handler(rc);
}

}  // namespace mana::object
