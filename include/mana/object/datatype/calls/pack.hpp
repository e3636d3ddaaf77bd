// Pack, unpack, and their sizes, by the live MPI on its own datatypes.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/call/narrow_call.hpp>
#include <mana/object/datatype/calls/build.hpp>

namespace mana::object {

/// A datatype, and a communicator if the function has one, looked up inside a wrapper. Outside, the thread may be
/// parked, and its real handles may belong to a lower half that has ended. error: neutral class of the first wrong
/// argument
struct pack_arguments {
  real<kind::datatype> type{};
  real<kind::comm> comm{};
  int error = neutral::success;

  pack_arguments(const call::wrapper_scope&, MPI_Datatype datatype, std::int64_t count) noexcept {
    const resolved<kind::datatype> t = resolve_type(datatype);
    if (!t.ok) error = neutral::err_type;
    else if (count < 0) error = neutral::err_count;
    type = t.real;
  }
  pack_arguments(const call::wrapper_scope& scope, MPI_Datatype datatype, std::int64_t count,
                 MPI_Comm communicator) noexcept
      : pack_arguments(scope, datatype, count) {
    const resolved<kind::comm> c = resolve<kind::comm>(communicator);
    if (!c.ok) error = neutral::err_comm;
    comm = c.real;
  }
};

template <class Fn>
inline int finish_pack(MPI_Comm comm, int error) noexcept {
  if (error == neutral::success) return MPI_SUCCESS;
  return raise(error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, error, nullptr);
}

template <class Fn, class Number>
inline int pack_call(const void* in, Number count, MPI_Datatype type, void* out, Number size, Number* position,
                     MPI_Comm comm) noexcept {
  call::wrapper_scope scope(Fn::id);
  const pack_arguments a(scope, type, count, comm);
  if (a.error != neutral::success) return finish_pack<Fn>(comm, a.error);
  if (position == nullptr || size < 0) return raise(comm, Fn::id, neutral::err_arg, "position or size");
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  return finish_pack<Fn>(
      comm, call::narrow_call(mpi.MPI_Pack_c, mpi.MPI_Pack, {count, size}, [&]<class N>(auto* slot, N) noexcept {
        N at = static_cast<N>(*position);
        const int rc =
            slot(app::neutral_buffer(in), static_cast<N>(count), a.type, out, static_cast<N>(size), &at, a.comm);
        if (rc == neutral::success) *position = static_cast<Number>(at);
        return rc;
      }));
}
template <class Fn, class Number>
inline int unpack_call(const void* in, Number size, Number* position, void* out, Number count, MPI_Datatype type,
                       MPI_Comm comm) noexcept {
  call::wrapper_scope scope(Fn::id);
  const pack_arguments a(scope, type, count, comm);
  if (a.error != neutral::success) return finish_pack<Fn>(comm, a.error);
  if (position == nullptr || size < 0) return raise(comm, Fn::id, neutral::err_arg, "position or size");
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  return finish_pack<Fn>(
      comm, call::narrow_call(mpi.MPI_Unpack_c, mpi.MPI_Unpack, {count, size}, [&]<class N>(auto* slot, N) noexcept {
        N at = static_cast<N>(*position);
        const int rc = slot(in, static_cast<N>(size), &at, const_cast<void*>(app::neutral_buffer(out)),
                            static_cast<N>(count), a.type, a.comm);
        if (rc == neutral::success) *position = static_cast<Number>(at);
        return rc;
      }));
}
template <class Fn, class Number>
inline int pack_size_call(Number count, MPI_Datatype type, MPI_Comm comm, Number* size) noexcept {
  call::wrapper_scope scope(Fn::id);
  const pack_arguments a(scope, type, count, comm);
  if (a.error != neutral::success) return finish_pack<Fn>(comm, a.error);
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  // The sum may exceed int even if the count does not. Then only the large form can return it.
  const std::int64_t about =
      static_cast<std::int64_t>(count) * std::max<std::int64_t>(1, layout_of(resolve_type(type)).size);
  const std::int64_t asked =
      sizeof(Number) > sizeof(int) && mpi.MPI_Pack_size_c != nullptr ? about : static_cast<std::int64_t>(count);
  return finish_pack<Fn>(
      comm, call::narrow_call(mpi.MPI_Pack_size_c, mpi.MPI_Pack_size, {asked}, [&]<class N>(auto* slot, N) noexcept {
        N needed = 0;
        const int rc = slot(static_cast<N>(count), a.type, a.comm, &needed);
        if (rc == neutral::success) *size = static_cast<Number>(needed);
        return rc;
      }));
}

// external32: sizes and positions are MPI_Aint or MPI_Count, 64 bits in both forms.
template <class Fn, class Number, class Size>
inline int pack_external_call(const char* format, const void* in, Number count, MPI_Datatype type, void* out, Size size,
                              Size* position) noexcept {
  call::wrapper_scope scope(Fn::id);
  const pack_arguments a(scope, type, count);
  if (a.error != neutral::success) return finish_pack<Fn>(MPI_COMM_WORLD, a.error);
  if (position == nullptr || size < 0 || format == nullptr)
    return fail(Fn::id, neutral::err_arg, "format, position or size");
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  std::int64_t at = *position;
  const int rc =
      call::narrow_call(mpi.MPI_Pack_external_c, mpi.MPI_Pack_external, {count}, [&]<class N>(auto* slot, N) noexcept {
        return slot(format, app::neutral_buffer(in), static_cast<N>(count), a.type, out,
                    static_cast<std::int64_t>(size), &at);
      });
  if (rc == neutral::success) *position = static_cast<Size>(at);
  return finish_pack<Fn>(MPI_COMM_WORLD, rc);
}
template <class Fn, class Number, class Size>
inline int unpack_external_call(const char* format, const void* in, Size size, Size* position, void* out, Number count,
                                MPI_Datatype type) noexcept {
  call::wrapper_scope scope(Fn::id);
  const pack_arguments a(scope, type, count);
  if (a.error != neutral::success) return finish_pack<Fn>(MPI_COMM_WORLD, a.error);
  if (position == nullptr || size < 0 || format == nullptr)
    return fail(Fn::id, neutral::err_arg, "format, position or size");
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  std::int64_t at = *position;
  const int rc = call::narrow_call(
      mpi.MPI_Unpack_external_c, mpi.MPI_Unpack_external, {count}, [&]<class N>(auto* slot, N) noexcept {
        return slot(format, in, static_cast<std::int64_t>(size), &at, const_cast<void*>(app::neutral_buffer(out)),
                    static_cast<N>(count), a.type);
      });
  if (rc == neutral::success) *position = static_cast<Size>(at);
  return finish_pack<Fn>(MPI_COMM_WORLD, rc);
}
template <class Fn, class Number, class Size>
inline int pack_external_size_call(const char* format, Number count, MPI_Datatype type, Size* size) noexcept {
  call::wrapper_scope scope(Fn::id);
  const pack_arguments a(scope, type, count);
  if (a.error != neutral::success) return finish_pack<Fn>(MPI_COMM_WORLD, a.error);
  if (format == nullptr || size == nullptr) return fail(Fn::id, neutral::err_arg, "null pointer");
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  std::int64_t needed = 0;
  const int rc = call::narrow_call(
      mpi.MPI_Pack_external_size_c, mpi.MPI_Pack_external_size, {count},
      [&]<class N>(auto* slot, N) noexcept { return slot(format, static_cast<N>(count), a.type, &needed); });
  if (rc == neutral::success) *size = static_cast<Size>(needed);
  return finish_pack<Fn>(MPI_COMM_WORLD, rc);
}

}  // namespace mana::object

namespace mana::manual {

inline int pack(const void* in, int n, MPI_Datatype t, void* out, int size, int* at, MPI_Comm c) noexcept {
  return object::pack_call<fn::pack>(in, n, t, out, size, at, c);
}
inline int unpack(const void* in, int size, int* at, void* out, int n, MPI_Datatype t, MPI_Comm c) noexcept {
  return object::unpack_call<fn::unpack>(in, size, at, out, n, t, c);
}
inline int pack_size(int n, MPI_Datatype t, MPI_Comm c, int* size) noexcept {
  return object::pack_size_call<fn::pack_size>(n, t, c, size);
}
inline int pack_external(const char* f, const void* in, int n, MPI_Datatype t, void* out, MPI_Aint size,
                         MPI_Aint* at) noexcept {
  return object::pack_external_call<fn::pack_external>(f, in, n, t, out, size, at);
}
inline int unpack_external(const char* f, const void* in, MPI_Aint size, MPI_Aint* at, void* out, int n,
                           MPI_Datatype t) noexcept {
  return object::unpack_external_call<fn::unpack_external>(f, in, size, at, out, n, t);
}
inline int pack_external_size(const char* f, int n, MPI_Datatype t, MPI_Aint* size) noexcept {
  return object::pack_external_size_call<fn::pack_external_size>(f, n, t, size);
}
#if defined(MANA_DECLARES_MPI_Pack_c)
inline int pack_c(const void* in, MPI_Count n, MPI_Datatype t, void* out, MPI_Count size, MPI_Count* at,
                  MPI_Comm c) noexcept {
  return object::pack_call<fn::pack_c>(in, n, t, out, size, at, c);
}
inline int unpack_c(const void* in, MPI_Count size, MPI_Count* at, void* out, MPI_Count n, MPI_Datatype t,
                    MPI_Comm c) noexcept {
  return object::unpack_call<fn::unpack_c>(in, size, at, out, n, t, c);
}
inline int pack_size_c(MPI_Count n, MPI_Datatype t, MPI_Comm c, MPI_Count* size) noexcept {
  return object::pack_size_call<fn::pack_size_c>(n, t, c, size);
}
inline int pack_external_c(const char* f, const void* in, MPI_Count n, MPI_Datatype t, void* out, MPI_Count size,
                           MPI_Count* at) noexcept {
  return object::pack_external_call<fn::pack_external_c>(f, in, n, t, out, size, at);
}
inline int unpack_external_c(const char* f, const void* in, MPI_Count size, MPI_Count* at, void* out, MPI_Count n,
                             MPI_Datatype t) noexcept {
  return object::unpack_external_call<fn::unpack_external_c>(f, in, size, at, out, n, t);
}
inline int pack_external_size_c(const char* f, MPI_Count n, MPI_Datatype t, MPI_Count* size) noexcept {
  return object::pack_external_size_call<fn::pack_external_size_c>(f, n, t, size);
}
#endif

}  // namespace mana::manual
