// MPICH's C++ library (MPI-2.2's bindings) goes unchanged into the upper half. Besides MPI's functions, it uses
// functions of its C library that call C++'s callbacks. They are here, one for each kind of callback.
#include <mana/calls.hpp>

namespace mana {
namespace {

/// in: kind  0 communicator, 1 file, 2 window
using handler_caller = void (*)(int kind, int* object, int* code, void (*function)());
using op_caller = void (*)(const void* in, void* inout, int count, MPI_Datatype type, void (*function)());

constinit handler_caller call_handler = nullptr;
constinit op_caller call_op = nullptr;

/// C's function then succeeds: C++'s would call the handler again.
template <int Kind>
void handler_in_cxx(void (*function)(), void* object, int* code) {
  call_handler(Kind, static_cast<int*>(object), code, function);
  *code = MPI_SUCCESS;
}
void op_in_cxx(void (*function)(), void* in, void* inout, int* count, MPI_Datatype* type) {
  call_op(in, inout, *count, *type, function);
}

}  // namespace
}  // namespace mana

#pragma GCC visibility push(default)
extern "C" {

void MPII_Errhandler_set_cxx(MPI_Errhandler handler, void (*caller)()) {
  using namespace mana;
  call_handler = reinterpret_cast<handler_caller>(caller);
  const resolved<kind::errhandler> found = resolve<kind::errhandler>(handler);
  if (!found.ok || found.e == nullptr) return;
  const kind_code object = found.e->what.object;
  found.e->what.by_proxy = object == kind_code::file ? handler_in_cxx<1>
                           : object == kind_code::win ? handler_in_cxx<2> : handler_in_cxx<0>;
}
void MPII_Op_set_cxx(MPI_Op op, void (*caller)()) {
  mana::call_op = reinterpret_cast<mana::op_caller>(caller);
  mana::object::call_op_by(op, nullptr, mana::op_in_cxx);
}

}
#pragma GCC visibility pop
