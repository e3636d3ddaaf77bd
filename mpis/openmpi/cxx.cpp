// Open MPI's C++ library (MPI-2.2's bindings) goes unchanged into the upper half, and calls MPI's C functions for
// nearly everything. The rest is here. Some of its functions look into the structures behind C's handles, which ours do
// not have. Their replacements are here, and the program and the library find these first. The library's needs from
// Open MPI's C library besides MPI's functions are here, too.
#include <mana/calls.hpp>

#include <dlfcn.h>

extern "C" char ompi_mpi_errors_throw_exceptions[];

namespace mana {
namespace {

/// The library's kinds of communicators.
enum class cxx_comm : int { intra = 1, inter = 2, cart = 3, graph = 4 };

using handler_caller = void (*)(void* object, int* code, const char* text, void (*function)());
using op_caller = void (*)(void* in, void* inout, int* count, MPI_Datatype* type, void (*function)());

/// The library's function of this name. If C++ has set a handler, the function exists.
template <class Function>
Function in_library(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void comm_handler(void (*function)(), void* object, int* code) {
  in_library<handler_caller>("ompi_mpi_cxx_comm_errhandler_invoke")(object, code, "", function);
}
void win_handler(void (*function)(), void* object, int* code) {
  in_library<handler_caller>("ompi_mpi_cxx_win_errhandler_invoke")(object, code, "", function);
}
void file_handler(void (*function)(), void* object, int* code) {
  in_library<handler_caller>("ompi_mpi_cxx_file_errhandler_invoke")(object, code, "", function);
}
void op_in_cxx(void (*function)(), void* in, void* inout, int* count, MPI_Datatype* type) {
  in_library<op_caller>("ompi_mpi_cxx_op_intercept")(in, inout, count, type, function);
}

template <class Function>
MPI_Errhandler made_by(int (*create)(Function*, MPI_Errhandler*), void (*function)(), object::handler_proxy proxy) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  create(reinterpret_cast<Function*>(function), &made);
  if (made != MPI_ERRHANDLER_NULL) object::call_errhandler_by(made, proxy);
  return made;
}

}  // namespace
}  // namespace mana

#pragma GCC visibility push(default)
extern "C" {

// ---- replacements of the library's functions

int ompi_cxx_comm_get_type(MPI_Comm comm) {
  using mana::cxx_comm;
  int inter = 0, topology = MPI_UNDEFINED;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Topo_test(comm, &topology);
  const cxx_comm found = topology == MPI_GRAPH ? cxx_comm::graph
                         : topology == MPI_CART ? cxx_comm::cart
                         : inter != 0 ? cxx_comm::inter : cxx_comm::intra;
  return static_cast<int>(found);
}

MPI_Errhandler ompi_cxx_errhandler_create_comm(void (*function)()) {
  return mana::made_by(PMPI_Comm_create_errhandler, function, mana::comm_handler);
}
MPI_Errhandler ompi_cxx_errhandler_create_win(void (*function)()) {
  return mana::made_by(PMPI_Win_create_errhandler, function, mana::win_handler);
}
MPI_Errhandler ompi_cxx_errhandler_create_file(void (*function)()) {
  return mana::made_by(PMPI_File_create_errhandler, function, mana::file_handler);
}
int ompi_cxx_errhandler_invoke_comm(MPI_Comm comm, int code, const char*) {
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}
int ompi_cxx_errhandler_invoke_file(MPI_File file, int code, const char*) {
  PMPI_File_call_errhandler(file, code);
  return code;
}
/// For MPI::ERRORS_THROW_EXCEPTIONS. The library calls it before anybody can use the handler.
void ompi_cxx_errhandler_set_callbacks(void*, void (*comm)(), void (*file)(), void (*win)()) {
  using namespace mana;
  object::thrower_for<MPI_Comm>.function = comm;
  object::thrower_for<MPI_File>.function = file;
  object::thrower_for<MPI_Win>.function = win;
  app::predefined<kind::errhandler>.add(neutral::errors_throw,
                                        reinterpret_cast<std::uintptr_t>(ompi_mpi_errors_throw_exceptions));
}

// ---- functions that the library uses

/// in: object  1 communicator, 2 datatype, 3 window     copy, remove  have one argument more than C's, and ignore it
int ompi_attr_create_keyval(int object, void (*copy)(), void (*remove)(), int* key, void* extra, int, void*) {
  using mana::kind_code;
  constexpr kind_code objects[] = {kind_code::none, kind_code::comm, kind_code::datatype, kind_code::win};
  if (object < 1 || object > 3) return MPI_ERR_INTERN;
  const std::lock_guard hold(mana::app::cold_lock());
  *key = mana::object::attribute_keys().insert(
      {.object = objects[object], .copy = copy, .remove = remove, .extra = extra});
  return MPI_SUCCESS;
}
/// The operation was made with the library's own function. Sets the program's function.
void ompi_op_set_cxx_callback(MPI_Op op, void (*function)()) {
  mana::object::call_op_by(op, function, mana::op_in_cxx);
}
}
#pragma GCC visibility pop
