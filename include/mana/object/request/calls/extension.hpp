// MPICH's and Open MPI's extensions (MPIX_) that are not refused.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/object/datatype/calls/query.hpp>
#include <mana/object/errhandler/remove_calls.hpp>
#include <mana/object/op/calls.hpp>
#include <mana/object/request/calls/request.hpp>

#include <cstdlib>

namespace mana::object {

/// A function and its state, of MPICH's MPIX_…_x: the functions of its Fortran and C++ libraries have this form. It lives as
/// long as the program: the destructor of the state is never called.
struct stateful_function {
  void (*function)();
  void* state;
};
template <class Function>
stateful_function* with_state(Function* function, void* state) noexcept {
  if (function == nullptr) return nullptr;
  auto* const made = static_cast<stateful_function*>(std::malloc(sizeof(stateful_function)));
  if (made != nullptr) *made = {reinterpret_cast<void (*)()>(function), state};
  return made;
}
inline void op_with_state(void (*function)(), void* in, void* inout, int* count, MPI_Datatype* type) {
  const auto& it = *reinterpret_cast<const stateful_function*>(function);
  reinterpret_cast<void (*)(void*, void*, MPI_Count, MPI_Datatype, void*)>(it.function)(in, inout, *count, *type, it.state);
}
template <class Handle>
void handler_with_state(void (*function)(), void* object, int* code) {
  const auto& it = *reinterpret_cast<const stateful_function*>(function);
  reinterpret_cast<void (*)(Handle, int, void*)>(it.function)(*static_cast<Handle*>(object), *code, it.state);
}
template <class Fn, class Handle, class Function>
int create_errhandler_with_state(kind_code object, Function* function, void* state, MPI_Errhandler* out) noexcept {
  const int rc = create_errhandler<Fn>(object, with_state(function, state), out);
  if (rc == MPI_SUCCESS) call_errhandler_by(*out, handler_with_state<Handle>);
  return rc;
}

}  // namespace mana::object

namespace mana::manual {

template <class Function, class Destructor>
int mpix_op_create_x(Function* function, Destructor*, int commutes, void* state, MPI_Op* out) noexcept {
  const int rc = object::create_op<fn::mpix_op_create_x>(object::with_state(function, state), commutes, false, out);
  if (rc == MPI_SUCCESS) object::call_op_by(*out, nullptr, object::op_with_state);
  return rc;
}
template <class Function, class Destructor>
int mpix_comm_create_errhandler_x(Function* function, Destructor*, void* state, MPI_Errhandler* out) noexcept {
  return object::create_errhandler_with_state<fn::mpix_comm_create_errhandler_x, MPI_Comm>(kind_code::comm, function, state, out);
}
template <class Function, class Destructor>
int mpix_file_create_errhandler_x(Function* function, Destructor*, void* state, MPI_Errhandler* out) noexcept {
  return object::create_errhandler_with_state<fn::mpix_file_create_errhandler_x, MPI_File>(kind_code::file, function, state, out);
}
template <class Function, class Destructor>
int mpix_win_create_errhandler_x(Function* function, Destructor*, void* state, MPI_Errhandler* out) noexcept {
  return object::create_errhandler_with_state<fn::mpix_win_create_errhandler_x, MPI_Win>(kind_code::win, function, state, out);
}
#if defined(MANA_DECLARES_MPI_Session_init)
template <class Function, class Destructor>
int mpix_session_create_errhandler_x(Function* function, Destructor*, void* state, MPI_Errhandler* out) noexcept {
  return object::create_errhandler_with_state<fn::mpix_session_create_errhandler_x, MPI_Session>(kind_code::session, function, state,
                                                                                               out);
}
#endif
inline int mpix_request_is_complete(MPI_Request request) noexcept {
  int flag = 0;
  request_get_status(request, &flag, MPI_STATUS_IGNORE);
  return flag;
}
inline int status_set_elements_c(MPI_Status* s, MPI_Datatype t, MPI_Count n) noexcept {
  return object::set_elements_of<fn::status_set_elements_c>(s, t, n);
}

// Messages in a GPU's memory are not supported: that memory is not saved. So the answer is no, even if the live MPI
// says yes.
inline int mpix_query_cuda_support() noexcept { return 0; }
inline int mpix_query_ze_support() noexcept { return 0; }
inline int mpix_query_hip_support() noexcept { return 0; }
inline int mpix_query_rocm_support() noexcept { return 0; }

#if defined(MPIX_GPU_SUPPORT_CUDA)
inline int mpix_gpu_query_support(int gpu, int* is_supported) noexcept {
  if (is_supported == nullptr) return object::fail(fn::mpix_gpu_query_support::id, neutral::err_arg, "null pointer");
  *is_supported = 0;
  if (gpu == MPIX_GPU_SUPPORT_CUDA || gpu == MPIX_GPU_SUPPORT_ZE || gpu == MPIX_GPU_SUPPORT_HIP) return MPI_SUCCESS;
  return object::fail(fn::mpix_gpu_query_support::id, neutral::err_arg, "no such kind of GPU");
}

inline int mpix_delete_error_class(int code) noexcept {
  return object::change_added<fn::mpix_delete_error_class>(code, true, [=](auto& all) { all.remove(code); });
}
inline int mpix_delete_error_code(int code) noexcept {
  return object::change_added<fn::mpix_delete_error_code>(code, false, [=](auto& all) { all.remove(code); });
}
inline int mpix_delete_error_string(int code) noexcept {
  return object::change_added<fn::mpix_delete_error_string>(code, false, [=](auto& all) { all.set_text(code, ""); });
}

/// Generalized requests whose completion the library polls for (poll_fn). wait_fn is not called: it only says how to
/// wait without polling, and MPICH's MPI_Wait does not call it either.
inline int mpix_grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                               MPI_Grequest_cancel_function* cancel, MPIX_Grequest_poll_function* poll,
                               MPIX_Grequest_wait_function*, void* extra, MPI_Request* request) noexcept {
  return object::start_generalized<fn::mpix_grequest_start>(
      {query, free, cancel, extra, MPI_SUCCESS, false, false, poll}, request);
}

/// Classes are never freed, as natively.
struct request_class {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  MPIX_Grequest_poll_function* poll;
};
inline std::vector<request_class>& request_classes() noexcept {
  static std::vector<request_class> all;
  return all;
}
inline int mpix_grequest_class_create(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                                      MPI_Grequest_cancel_function* cancel, MPIX_Grequest_poll_function* poll,
                                      MPIX_Grequest_wait_function*, MPIX_Grequest_class* made) noexcept {
  if (query == nullptr || free == nullptr || cancel == nullptr || made == nullptr)
    return object::fail(fn::mpix_grequest_class_create::id, neutral::err_arg, "null pointer");
  const std::lock_guard hold(app::cold_lock());
  request_classes().push_back({query, free, cancel, poll});
  *made = static_cast<MPIX_Grequest_class>(request_classes().size());
  return MPI_SUCCESS;
}
inline int mpix_grequest_class_allocate(MPIX_Grequest_class number, void* extra, MPI_Request* request) noexcept {
  request_class found{};                       // null pointers are refused below
  {
    const std::lock_guard hold(app::cold_lock());
    const std::vector<request_class>& all = request_classes();
    if (number > 0 && static_cast<std::size_t>(number) <= all.size()) found = all[static_cast<std::size_t>(number) - 1];
  }
  return object::start_generalized<fn::mpix_grequest_class_allocate>(
      {found.query, found.free, found.cancel, extra, MPI_SUCCESS, false, false, found.poll}, request);
}
#endif

}  // namespace mana::manual
