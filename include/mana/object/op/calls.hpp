// User-defined operations. The lower half gets a number for each, and calls back with it. This is the only upcall.
#pragma once
#include <mana/app/fortran_index.hpp>
#include <mana/call/declared.hpp>
#include <mana/call/narrow_call.hpp>
#include <mana/object/datatype/calls/build.hpp>
#include <mana/object/op/life.hpp>

namespace mana::object {

/// out: neutral error class
inline int make_real_op(op_entry& e) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  return lower::cross([&] { return s.op_create(e.what.number, e.what.commutes, &e.real); });
}

template <class Fn, class Function>
inline int create_op(Function* function, int commutes, bool large, MPI_Op* out) noexcept {
  if (function == nullptr || out == nullptr) return fail(Fn::id, neutral::err_arg, "null pointer");
  call::wrapper_scope scope(Fn::id);
  op_entry* const e = vid::table<kind::op>().insert_entry();
  if (e == nullptr) return fail(Fn::id, neutral::err_no_mem, "no free operation id");
  e->references = 1;                     // the program's
  e->what.commutes = commutes != 0;
  e->what.number = take_op_number(reinterpret_cast<void (*)()>(function), large);
  const int rc = e->what.number < max_user_ops ? make_real_op(*e) : int{neutral::err_no_mem};
  if (rc != neutral::success) {
    if (e->what.number < max_user_ops) give_op_number_back(e->what.number);
    vid::table<kind::op>().erase(*e);
    return fail(Fn::id, rc, "at most 1024 user-defined operations can exist at a time");
  }
  *out = app::from_virt<kind::op>(vid::table<kind::op>().id_of(*e));
  return MPI_SUCCESS;
}

/// The operation's function is Fortran's, and gets the datatype's Fortran handle. Must be called before the operation
/// can be used.
inline void call_op_in_fortran(MPI_Op op) noexcept {
  if (const op_entry* const e = vid::table<kind::op>().find(app::to_virt<kind::op>(op)))
    user_ops().all[e->what.number].is_fortran = true;
}

/// The same for C++. function: null: the operation keeps its function
inline void call_op_by(MPI_Op op, void (*function)(), op_proxy proxy) noexcept {
  const op_entry* const e = vid::table<kind::op>().find(app::to_virt<kind::op>(op));
  if (e == nullptr) return;
  op_numbers::user& user = user_ops().all[e->what.number];
  if (function != nullptr) user.function = function;
  user.by_proxy = proxy;
}

/// At a restart. A persistent collective may use an operation that the program has freed.
inline void rebuild_ops() noexcept {
  vid::table<kind::op>().for_each_unordered([](op_entry& e) {
    const lower::services& s = *lower::the_bridge().service;
    if (make_real_op(e) != neutral::success)
      lower::cross([&] { s.fatal("a user-defined operation could not be made again at restart"); });
  });
}

/// The program's handle of the datatype that the live MPI passes to a reduction; MPI_DATATYPE_NULL if it is unknown.
/// cost: two loads if the last call had the same datatype
inline MPI_Datatype datatype_of_real(real<kind::datatype> real) noexcept {
  static std::atomic<std::uint32_t> last{0};                  // a guess, checked before use
  const std::uint32_t guess = last.load(std::memory_order_relaxed);
  if (guess != 0 && real_of<kind::datatype>(guess) == real) return type_handle(guess);
  std::uint32_t name = 0;
  for (std::uint32_t code = neutral::datatype_null + 1; code < neutral::predefined_limit && name == 0; ++code)
    if (lower::predefined_of<kind::datatype>(code) == real &&
        app::predefined_handle<kind::datatype>(code) != MPI_DATATYPE_NULL)
      name = code;
  if (name == 0)
    if (const auto derived = vid::table<kind::datatype>().find_real(real)) name = derived->bits();
  last.store(name, std::memory_order_relaxed);
  return name != 0 ? type_handle(name) : MPI_DATATYPE_NULL;
}

/// The datatype that a reduction's function gets. The function may query it, even if the program has freed its handle
/// (INV-67).
class lent_datatype {
 public:
  explicit lent_datatype(MPI_Datatype handle) noexcept : e_(resolve<kind::datatype>(handle).e) {
    if (e_ != nullptr) e_->what.lent.fetch_add(1, std::memory_order_relaxed);
  }
  ~lent_datatype() {
    if (e_ != nullptr) e_->what.lent.fetch_sub(1, std::memory_order_relaxed);
  }
  lent_datatype(const lent_datatype&) = delete;
  lent_datatype& operator=(const lent_datatype&) = delete;

 private:
  type_entry* e_;
};

/// upper_entry::reduce.
inline void reduce_upcall(std::uint32_t number, void* in, void* inout, std::int64_t count,
                          real<kind::datatype> real) noexcept {
  const op_numbers::user& op = user_ops().all[number];
  MPI_Datatype type = datatype_of_real(real);
  if (type == MPI_DATATYPE_NULL) {
    const lower::services& s = *lower::the_bridge().service;
    lower::cross([&] { s.fatal("a reduction was called for a datatype that the program did not make"); });
  }
  const lent_datatype lent(type);
#if defined(MANA_DECLARES_MPI_Op_create_c)
  if (op.large) {
    MPI_Count n = count;
    reinterpret_cast<MPI_User_function_c*>(op.function)(in, inout, &n, &type);
    return;
  }
#endif
  MPI_Fint type_number = op.is_fortran ? app::to_fortran<kind::datatype>(type) : 0;
  void* const datatype = op.is_fortran ? static_cast<void*>(&type_number) : &type;
  using user_function = void (*)(void*, void*, int*, void*);
  const std::int64_t extent = count > INT_MAX ? layout_of(resolve_type(type)).extent : 0;
  for (std::int64_t done = 0; done < count;) {
    int n = static_cast<int>(std::min<std::int64_t>(count - done, INT_MAX));
    char* const from = static_cast<char*>(in) + done * extent;
    char* const to = static_cast<char*>(inout) + done * extent;
    if (op.by_proxy != nullptr) op.by_proxy(op.function, from, to, &n, &type);
    else reinterpret_cast<user_function>(op.function)(from, to, &n, datatype);
    done += n;
  }
}

template <class Fn>
inline int reduce_local_call(const void* in, void* inout, std::int64_t count, MPI_Datatype type, MPI_Op op) noexcept {
  // before any real handle is looked up: outside of the scope the thread may be parked
  call::wrapper_scope scope(Fn::id);
  const resolved<kind::datatype> t = resolve_type(type);
  const resolved<kind::op> o = resolve<kind::op>(op);
  if (!t.ok) return fail_type(Fn::id);
  if (!o.ok || o.predefined_code == neutral::op_null)
    return fail(Fn::id, neutral::err_op, "null, stale or foreign operation");
  if (count < 0) return fail(Fn::id, neutral::err_count, "negative count");
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  const auto call = [&]<class Number>(auto* slot, Number) noexcept {
    return slot(in, inout, static_cast<Number>(count), t.real, o.real); };
  const int rc = call::narrow_call(mpi.MPI_Reduce_local_c, mpi.MPI_Reduce_local, {count}, call);
  return rc == neutral::success ? MPI_SUCCESS : fail(Fn::id, rc, nullptr);
}

}  // namespace mana::object

namespace mana::manual {

inline int op_create(MPI_User_function* function, int commutes, MPI_Op* out) noexcept {
  return object::create_op<fn::op_create>(function, commutes, false, out);
}
inline int op_free(MPI_Op* op) noexcept {
  const resolved<kind::op> o = op != nullptr ? resolve<kind::op>(*op) : resolved<kind::op>{};
  if (!o.ok || o.e == nullptr || o.e->what.freed)
    return object::fail(fn::op_free::id, neutral::err_op, "not an operation of the program");
  call::wrapper_scope scope(fn::op_free::id);
  *op = MPI_OP_NULL;
  o.e->what.freed = true;
  const int rc = object::let_go_of_op(*o.e);
  return rc == neutral::success ? MPI_SUCCESS : object::fail(fn::op_free::id, rc, nullptr);
}
/// All predefined operations except MPI_REPLACE and MPI_NO_OP commute.
inline int op_commutative(MPI_Op op, int* commutes) noexcept {
  const resolved<kind::op> o = resolve<kind::op>(op);
  if (!o.ok || o.predefined_code == neutral::op_null)
    return object::fail(fn::op_commutative::id, neutral::err_op, "null, stale or foreign operation");
  *commutes = o.e != nullptr ? o.e->what.commutes : o.predefined_code != neutral::replace && o.predefined_code != neutral::no_op;
  return MPI_SUCCESS;
}
inline int reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) noexcept {
  return object::reduce_local_call<fn::reduce_local>(in, inout, count, type, op);
}
#if defined(MANA_DECLARES_MPI_Op_create_c)
inline int op_create_c(MPI_User_function_c* function, int commutes, MPI_Op* out) noexcept {
  return object::create_op<fn::op_create_c>(function, commutes, true, out);
}
inline int reduce_local_c(const void* in, void* inout, MPI_Count count, MPI_Datatype type, MPI_Op op) noexcept {
  return object::reduce_local_call<fn::reduce_local_c>(in, inout, count, type, op);
}
#endif

}  // namespace mana::manual
