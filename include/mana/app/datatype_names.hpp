// The predefined datatypes of this mpi.h: handle, name, and for pairs their members.
#pragma once
#include <mana/app/abi.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace mana::app {

struct named_datatype {
  MPI_Datatype handle;
  const char* name;
};

/// If one handle has two names, the first counts. Some handles may be MPI_DATATYPE_NULL.
inline std::span<const named_datatype> named_datatypes() noexcept {
#define MANA_TYPE(t) {t, #t}
  static const named_datatype all[] = {
      MANA_TYPE(MPI_CHAR), MANA_TYPE(MPI_SIGNED_CHAR), MANA_TYPE(MPI_UNSIGNED_CHAR), MANA_TYPE(MPI_BYTE),
      MANA_TYPE(MPI_WCHAR), MANA_TYPE(MPI_SHORT), MANA_TYPE(MPI_UNSIGNED_SHORT), MANA_TYPE(MPI_INT),
      MANA_TYPE(MPI_UNSIGNED), MANA_TYPE(MPI_LONG), MANA_TYPE(MPI_UNSIGNED_LONG), MANA_TYPE(MPI_FLOAT),
      MANA_TYPE(MPI_DOUBLE), MANA_TYPE(MPI_LONG_DOUBLE), MANA_TYPE(MPI_LONG_LONG_INT), MANA_TYPE(MPI_LONG_LONG),
      MANA_TYPE(MPI_UNSIGNED_LONG_LONG), MANA_TYPE(MPI_PACKED), MANA_TYPE(MPI_INT8_T), MANA_TYPE(MPI_INT16_T),
      MANA_TYPE(MPI_INT32_T), MANA_TYPE(MPI_INT64_T), MANA_TYPE(MPI_UINT8_T), MANA_TYPE(MPI_UINT16_T),
      MANA_TYPE(MPI_UINT32_T), MANA_TYPE(MPI_UINT64_T), MANA_TYPE(MPI_C_BOOL), MANA_TYPE(MPI_C_COMPLEX),
      MANA_TYPE(MPI_C_FLOAT_COMPLEX), MANA_TYPE(MPI_C_DOUBLE_COMPLEX), MANA_TYPE(MPI_C_LONG_DOUBLE_COMPLEX),
      MANA_TYPE(MPI_AINT), MANA_TYPE(MPI_OFFSET), MANA_TYPE(MPI_COUNT), MANA_TYPE(MPI_FLOAT_INT),
      MANA_TYPE(MPI_DOUBLE_INT), MANA_TYPE(MPI_LONG_INT), MANA_TYPE(MPI_SHORT_INT), MANA_TYPE(MPI_2INT),
      MANA_TYPE(MPI_LONG_DOUBLE_INT), MANA_TYPE(MPI_COMPLEX), MANA_TYPE(MPI_DOUBLE_COMPLEX), MANA_TYPE(MPI_LOGICAL),
      MANA_TYPE(MPI_REAL), MANA_TYPE(MPI_DOUBLE_PRECISION), MANA_TYPE(MPI_INTEGER), MANA_TYPE(MPI_CHARACTER),
      MANA_TYPE(MPI_2INTEGER), MANA_TYPE(MPI_2REAL), MANA_TYPE(MPI_2DOUBLE_PRECISION), MANA_TYPE(MPI_INTEGER1),
      MANA_TYPE(MPI_INTEGER2), MANA_TYPE(MPI_INTEGER4), MANA_TYPE(MPI_INTEGER8), MANA_TYPE(MPI_REAL4),
      MANA_TYPE(MPI_REAL8), MANA_TYPE(MPI_REAL16), MANA_TYPE(MPI_COMPLEX8), MANA_TYPE(MPI_COMPLEX16),
      MANA_TYPE(MPI_COMPLEX32), MANA_TYPE(MPI_CXX_BOOL), MANA_TYPE(MPI_CXX_FLOAT_COMPLEX),
      MANA_TYPE(MPI_CXX_DOUBLE_COMPLEX), MANA_TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX),
  };
#undef MANA_TYPE
  return all;
}

/// in: code  neutral code of a predefined datatype      out: its name, "" if this mpi.h has none
inline const char* predefined_type_name(std::uint32_t code) noexcept {
  if (code == neutral::datatype_null) return "MPI_DATATYPE_NULL";
  for (const named_datatype& t : named_datatypes())
    if (t.handle != MPI_DATATYPE_NULL && app::predefined_code<kind::datatype>(t.handle) == code) return t.name;
  const char* name = "";                       // a datatype that one MPI alone has is called what its mpi.h calls it
  app::for_each_predefined_datatype([&](std::uint32_t known, MPI_Datatype handle, const char* macro) {
    if (known == code && handle != MPI_DATATYPE_NULL && *name == '\0') name = macro;
  });
#if defined(MPIX_BFLOAT16)
  return name;
#else
  return std::string_view(name).starts_with("MPIX_") ? "" : name;      // MPICH 4 has no name for its extension
#endif
}

/// Bytes of the first member of a pair such as MPI_DOUBLE_INT; 0 for any other datatype.
inline std::int64_t first_of_pair(MPI_Datatype t) noexcept {
  if (t == MPI_FLOAT_INT) return sizeof(float);
  if (t == MPI_DOUBLE_INT) return sizeof(double);
  if (t == MPI_LONG_INT) return sizeof(long);
  if (t == MPI_SHORT_INT) return sizeof(short);
  if (t == MPI_LONG_DOUBLE_INT) return sizeof(long double);
  if (t == MPI_2INT || t == MPI_2INTEGER) return sizeof(int);
  if (t == MPI_2REAL) return sizeof(float);
  if (t == MPI_2DOUBLE_PRECISION) return sizeof(double);
  return 0;
}

}  // namespace mana::app
