// The small numbers of predefined handles in Open MPI's mpif-handles.h. Compiled Fortran programs contain them.
#pragma once
#include <mana/app/fortran_number.hpp>

#include <mpi.h>

#include <span>

namespace mana::family {

using app::numbered;

inline std::span<const numbered<MPI_Comm>> fortran_numbers(MPI_Comm) noexcept {
  static const numbered<MPI_Comm> all[] = {{0, MPI_COMM_WORLD}, {1, MPI_COMM_SELF}, {2, MPI_COMM_NULL}};
  return all;
}
inline std::span<const numbered<MPI_Group>> fortran_numbers(MPI_Group) noexcept {
  static const numbered<MPI_Group> all[] = {{0, MPI_GROUP_NULL}, {1, MPI_GROUP_EMPTY}};
  return all;
}
inline std::span<const numbered<MPI_Info>> fortran_numbers(MPI_Info) noexcept {
  static const numbered<MPI_Info> all[] = {{0, MPI_INFO_NULL}, {1, MPI_INFO_ENV}};
  return all;
}
inline std::span<const numbered<MPI_Errhandler>> fortran_numbers(MPI_Errhandler) noexcept {
  static const numbered<MPI_Errhandler> all[] = {{0, MPI_ERRHANDLER_NULL}, {1, MPI_ERRORS_ARE_FATAL}, {2, MPI_ERRORS_RETURN}};
  return all;
}
inline std::span<const numbered<MPI_Win>> fortran_numbers(MPI_Win) noexcept {
  static const numbered<MPI_Win> all[] = {{0, MPI_WIN_NULL}};
  return all;
}
inline std::span<const numbered<MPI_Request>> fortran_numbers(MPI_Request) noexcept {
  static const numbered<MPI_Request> all[] = {{0, MPI_REQUEST_NULL}};
  return all;
}
inline std::span<const numbered<MPI_Message>> fortran_numbers(MPI_Message) noexcept {
  static const numbered<MPI_Message> all[] = {{0, MPI_MESSAGE_NULL}, {1, MPI_MESSAGE_NO_PROC}};
  return all;
}
inline std::span<const numbered<MPI_Op>> fortran_numbers(MPI_Op) noexcept {
  static const numbered<MPI_Op> all[] = {
      {0, MPI_OP_NULL}, {1, MPI_MAX}, {2, MPI_MIN}, {3, MPI_SUM}, {4, MPI_PROD}, {5, MPI_LAND}, {6, MPI_BAND}, {7, MPI_LOR},
      {8, MPI_BOR}, {9, MPI_LXOR}, {10, MPI_BXOR}, {11, MPI_MAXLOC}, {12, MPI_MINLOC}, {13, MPI_REPLACE}, {14, MPI_NO_OP}};
  return all;
}
inline std::span<const numbered<MPI_Datatype>> fortran_numbers(MPI_Datatype) noexcept {
  static const numbered<MPI_Datatype> all[] = {
      {0, MPI_DATATYPE_NULL}, {1, MPI_BYTE}, {2, MPI_PACKED}, {5, MPI_CHARACTER}, {6, MPI_LOGICAL}, {7, MPI_INTEGER},
      {8, MPI_INTEGER1}, {9, MPI_INTEGER2}, {10, MPI_INTEGER4}, {11, MPI_INTEGER8}, {13, MPI_REAL}, {14, MPI_REAL4},
      {15, MPI_REAL8}, {16, MPI_REAL16}, {17, MPI_DOUBLE_PRECISION}, {18, MPI_COMPLEX}, {19, MPI_COMPLEX8},
      {20, MPI_COMPLEX16}, {21, MPI_COMPLEX32}, {22, MPI_DOUBLE_COMPLEX}, {23, MPI_2REAL}, {24, MPI_2DOUBLE_PRECISION},
      {25, MPI_2INTEGER}, {33, MPI_WCHAR}, {34, MPI_CHAR}, {35, MPI_UNSIGNED_CHAR}, {36, MPI_SIGNED_CHAR}, {37, MPI_SHORT},
      {38, MPI_UNSIGNED_SHORT}, {39, MPI_INT}, {40, MPI_UNSIGNED}, {41, MPI_LONG}, {42, MPI_UNSIGNED_LONG},
      {43, MPI_LONG_LONG_INT}, {44, MPI_UNSIGNED_LONG_LONG}, {45, MPI_FLOAT}, {46, MPI_DOUBLE}, {47, MPI_LONG_DOUBLE},
      {48, MPI_FLOAT_INT}, {49, MPI_DOUBLE_INT}, {50, MPI_LONG_DOUBLE_INT}, {51, MPI_LONG_INT}, {52, MPI_2INT},
      {53, MPI_SHORT_INT}, {54, MPI_CXX_BOOL}, {55, MPI_CXX_FLOAT_COMPLEX}, {56, MPI_CXX_DOUBLE_COMPLEX},
      {57, MPI_CXX_LONG_DOUBLE_COMPLEX}, {58, MPI_INT8_T}, {59, MPI_UINT8_T}, {60, MPI_INT16_T}, {61, MPI_UINT16_T},
      {62, MPI_INT32_T}, {63, MPI_UINT32_T}, {64, MPI_INT64_T}, {65, MPI_UINT64_T}, {66, MPI_AINT}, {67, MPI_OFFSET},
      {68, MPI_C_BOOL}, {69, MPI_C_COMPLEX}, {70, MPI_C_DOUBLE_COMPLEX}, {71, MPI_C_LONG_DOUBLE_COMPLEX}, {72, MPI_COUNT}};
  return all;
}

}  // namespace mana::family
