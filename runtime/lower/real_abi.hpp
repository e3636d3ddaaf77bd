// Converts between the boundary's neutral values and the mpi.h that this lower half is compiled with.
#pragma once
#include <mana/core/handle.hpp>
#include <mana/lower/abi.hpp>
#include <mana/lower/without_meaning.hpp>
#include <mana/call/function.hpp>

#include <mana/gen/family.hpp>
#include <mana/gen/real_predefined.hpp>

#include <mpi.h>

#include <cstring>
#include <type_traits>

namespace mana::lower {

template <class K> struct mpi_type;
template <> struct mpi_type<kind::comm> { using type = MPI_Comm; };
template <> struct mpi_type<kind::group> { using type = MPI_Group; };
template <> struct mpi_type<kind::request> { using type = MPI_Request; };
template <> struct mpi_type<kind::op> { using type = MPI_Op; };
template <> struct mpi_type<kind::datatype> { using type = MPI_Datatype; };
template <> struct mpi_type<kind::message> { using type = MPI_Message; };
template <> struct mpi_type<kind::info> { using type = MPI_Info; };
template <> struct mpi_type<kind::win> { using type = MPI_Win; };
template <> struct mpi_type<kind::cvar> { using type = MPI_T_cvar_handle; };
template <> struct mpi_type<kind::pvar> { using type = MPI_T_pvar_handle; };
template <> struct mpi_type<kind::pvar_session> { using type = MPI_T_pvar_session; };
template <> struct mpi_type<kind::tool_enum> { using type = MPI_T_enum; };

/// The handle's bits: of MPICH's int or Open MPI's pointer.
template <class K>
inline typename mpi_type<K>::type to_mpi(real<K> r) noexcept {
  using handle = typename mpi_type<K>::type;
  if constexpr (std::is_pointer_v<handle>) return reinterpret_cast<handle>(r.bits());
  else return static_cast<handle>(r.bits());
}
inline MPI_T_pvar_handle to_mpi(real<kind::pvar> r) noexcept {
  return r.bits() == neutral::all_pvar_handles ? MPI_T_PVAR_ALL_HANDLES : reinterpret_cast<MPI_T_pvar_handle>(r.bits());
}
template <class Handle>
inline std::uint64_t bits_of(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<std::uint64_t>(handle);
  else return static_cast<std::uint32_t>(handle);
}
/// The caller names K, because MPICH's handles of all kinds are int.
template <class K>
inline real<K> to_neutral(std::type_identity_t<typename mpi_type<K>::type> handle) noexcept {
  return real<K>(bits_of(handle));
}

/// Constants whose values mpi.h chooses, K: their kind. A value that is in no table passes unchanged.
template <class K>
inline int neutral_constant(int real) noexcept {
  int found = real;
  for_each_predefined(K{}, [&](int code, int value, const char*) { if (value == real) found = code; });
  return found;
}
template <class K>
inline int real_constant(int neutral_value) noexcept {
  int found = neutral_value;
  for_each_predefined(K{}, [&](int code, int value, const char*) { if (code == neutral_value) found = value; });
  return found;
}

inline int real_rank(int rank) noexcept {
  if (rank >= 0) [[likely]] return rank;
  switch (rank) {
    case neutral::any_source: return MPI_ANY_SOURCE;
    case neutral::proc_null: return MPI_PROC_NULL;
    case neutral::root: return MPI_ROOT;
    default: return rank;
  }
}
inline int neutral_rank(int rank) noexcept {
  if (rank >= 0) [[likely]] return rank;
  if (rank == MPI_ANY_SOURCE) return neutral::any_source;
  if (rank == MPI_PROC_NULL) return neutral::proc_null;
  return rank == MPI_ROOT ? int{neutral::root} : neutral::without_meaning(rank);
}
inline int real_tag(int tag) noexcept { return tag == neutral::any_tag ? MPI_ANY_TAG : tag; }
inline int neutral_tag(int tag) noexcept {
  if (tag >= 0) [[likely]] return tag;
  return tag == MPI_ANY_TAG ? int{neutral::any_tag} : neutral::without_meaning(tag);
}
/// Both at once: a single test finds those that need no translation.
[[gnu::always_inline]] inline neutral::envelope real_envelope(int rank, int tag) noexcept {
  if ((rank | tag) >= 0) [[likely]] return {rank, tag};
  return {real_rank(rank), real_tag(tag)};
}
[[gnu::always_inline]] inline neutral::envelope neutral_envelope(int rank, int tag) noexcept {
  if ((rank | tag) >= 0) [[likely]] return {rank, tag};
  return {neutral_rank(rank), neutral_tag(tag)};
}

/// A message buffer, or MPI_IN_PLACE.
inline void* real_address(const void* address) noexcept {
  return address == reinterpret_cast<void*>(neutral::in_place) ? MPI_IN_PLACE : const_cast<void*>(address);
}

/// Weights of a graph's edges, or one of the live MPI's two addresses that stand for a missing array.
inline int* real_address(const int* weights) noexcept {
  if (weights == reinterpret_cast<const int*>(neutral::unweighted)) return MPI_UNWEIGHTED;
  if (weights == reinterpret_cast<const int*>(neutral::weights_empty)) return MPI_WEIGHTS_EMPTY;
  return const_cast<int*>(weights);
}

/// in: an error class of the live MPI, or a code of its tools interface, which may be used before MPI is initialized
inline int neutral_class(int mpi_class) noexcept {
  int found = mpi_class == MPI_SUCCESS ? int{neutral::success} : int{neutral::err_unknown};
  for_each_predefined_error([&](int listed, int value, const char*) { if (value == mpi_class) found = listed; });
  return found;
}
/// in: an error code of the live MPI      out: neutral error class
inline int neutral_error(int code) noexcept {
  if (code == MPI_SUCCESS) return neutral::success;
  int mpi_class = MPI_ERR_UNKNOWN;
  PMPI_Error_class(code, &mpi_class);
  return neutral_class(mpi_class);
}
/// The reverse: a class of the live MPI, MPI_ERR_UNKNOWN if it has none like it.
inline int real_error(int neutral_class) noexcept {
  int found = MPI_ERR_UNKNOWN;
  for_each_predefined_error([&](int listed, int value, const char*) { if (listed == neutral_class) found = value; });
  return neutral_class == neutral::success ? MPI_SUCCESS : found;
}

/// Bytes of a status of the live MPI, and whether its operation was cancelled.
inline std::int64_t count_of(const MPI_Status& status) noexcept {
  if constexpr (!family::status_is_opaque) return family::count_of(status);
  MPI_Count bytes = 0;
  return PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS ? bytes : 0;
}
inline int cancelled_of(const MPI_Status& status) noexcept {
  if constexpr (!family::status_is_opaque) return family::cancelled_of(status);
  int flag = 0;
  PMPI_Test_cancelled(&status, &flag);
  return flag;
}
inline void set_count(MPI_Status& status, std::int64_t bytes, int cancelled) noexcept {
  if constexpr (family::status_is_opaque) {
    PMPI_Status_set_elements_x(&status, MPI_BYTE, bytes);
    PMPI_Status_set_cancelled(&status, cancelled);
  } else {
    family::set_count(status, bytes, cancelled);
  }
}

/// Does not read `error`: MPI sets it only in calls with several statuses.
inline neutral::status neutral_status(const MPI_Status& status) noexcept {
  const neutral::envelope from = neutral_envelope(status.MPI_SOURCE, status.MPI_TAG);
  return {from.rank, from.tag, neutral::success, cancelled_of(status), count_of(status)};
}
inline MPI_Status real_status(const neutral::status& status) noexcept {
  MPI_Status made{};
  made.MPI_SOURCE = real_rank(status.source);
  made.MPI_TAG = real_tag(status.tag);
  made.MPI_ERROR = real_error(status.error);
  set_count(made, status.count_bytes, status.cancelled);
  return made;
}

/// table: uint64[predefined_limit], by neutral code
inline void fill_predefined(std::uint64_t* table) noexcept {
  const auto fill = [table](unsigned code, auto handle, const char*) { table[code] = bits_of(handle); };
  for_each_of(predefined_kinds{}, [&]<class K>(K) {
    if constexpr (requires { typename mpi_type<K>::type; }) for_each_predefined(K{}, fill);
  });
}

}  // namespace mana::lower
