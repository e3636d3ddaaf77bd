// A program's questions about the standard ABI (MPI-5.0, chapter 20): its version, sizes of types, Fortran's types and
// logicals. Plain data; may be called before MPI_Init.
#pragma once
#include <mana/object/datatype/predefined.hpp>
#include <mana/object/info/calls.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace mana::library {

/// Facts of Fortran that the program, or its Fortran library, has told.
struct told_of_fortran {
  static constexpr std::size_t widest = 16;      // bytes of a logical
  std::optional<object::info_store> types;
  int logical_bytes = 0;                         // 0: not told
  std::array<char, widest> true_value{}, false_value{};
};
inline told_of_fortran& fortran() noexcept {
  static told_of_fortran told;
  return told;
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// A datatype of Fortran that a library may lack: MPI_INTEGER8 and its like.
inline bool is_optional_in_fortran(std::string_view name) noexcept {
  constexpr std::string_view kinds[] = {"MPI_LOGICAL", "MPI_INTEGER", "MPI_REAL", "MPI_COMPLEX"};
  const std::string_view kind = name.substr(0, std::min(name.find_first_of("0123456789"), name.size()));
  return name == "MPI_DOUBLE_COMPLEX" ||
         (kind != name && std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds));
}

/// The live MPI's types of Fortran. out: none if it has no Fortran, or does not run yet
inline std::optional<object::info_store> types_of_live_mpi() {
  constexpr std::string_view sized[] = {"MPI_LOGICAL", "MPI_INTEGER", "MPI_REAL", "MPI_DOUBLE_PRECISION"};
  object::info_store found;
  bool is_known = true;
  app::for_each_predefined_datatype([&](std::uint32_t code, MPI_Datatype, const char* name) {
    const std::int64_t bytes = object::predefined(code).layout.size;
    if (std::find(std::begin(sized), std::end(sized), name) != std::end(sized)) {
      found.set(lower_case(name) + "_size", std::to_string(bytes));
      is_known &= bytes > 0;
    } else if (is_optional_in_fortran(name)) {
      found.set(lower_case(name) + "_supported", bytes > 0 ? "true" : "false");
    }
  });
  if (!is_known) return std::nullopt;
  return found;
}

inline bool is_size_of_logical(int bytes) noexcept {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

}  // namespace mana::library

namespace mana::manual {

/// -1 where this mpi.h is not of the standard ABI.
inline int abi_get_version(int* major, int* minor) noexcept {
#if defined(MPI_ABI_VERSION)
  *major = MPI_ABI_VERSION;
  *minor = MPI_ABI_SUBVERSION;
#else
  *major = *minor = -1;
#endif
  return MPI_SUCCESS;
}

inline int abi_get_info(MPI_Info* info) noexcept {
  object::info_store sizes;
  sizes.set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  sizes.set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  sizes.set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  return object::make_info(fn::abi_get_info::id, &sizes, info);
}

inline int abi_get_fortran_info(MPI_Info* info) noexcept {
  const std::optional<object::info_store>& told = library::fortran().types;
  const std::optional<object::info_store> known = told ? told : library::types_of_live_mpi();
  if (known) return object::make_info(fn::abi_get_fortran_info::id, &*known, info);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

/// Once, and only where the live MPI does not know it itself.
inline int abi_set_fortran_info(MPI_Info info) noexcept {
  using f = fn::abi_set_fortran_info;
  const object::info_store* const pairs = object::hints_of(info);
  if (pairs == nullptr) return object::fail_info(f::id);
  if (library::fortran().types || library::types_of_live_mpi())
    return object::fail(f::id, neutral::err_abi, "Fortran's types are known already");
  library::fortran().types = *pairs;
  return MPI_SUCCESS;
}

inline int abi_get_fortran_booleans(int bytes, void* true_value, void* false_value, int* is_set) noexcept {
  const library::told_of_fortran& told = library::fortran();
  if (!library::is_size_of_logical(bytes))
    return object::fail(fn::abi_get_fortran_booleans::id, neutral::err_arg, "no size of a logical");
  *is_set = told.logical_bytes == bytes;
  if (*is_set == 0) return MPI_SUCCESS;
  std::memcpy(true_value, told.true_value.data(), static_cast<std::size_t>(bytes));
  std::memcpy(false_value, told.false_value.data(), static_cast<std::size_t>(bytes));
  return MPI_SUCCESS;
}

inline int abi_set_fortran_booleans(int bytes, void* true_value, void* false_value) noexcept {
  using f = fn::abi_set_fortran_booleans;
  library::told_of_fortran& told = library::fortran();
  if (!library::is_size_of_logical(bytes)) return object::fail(f::id, neutral::err_arg, "no size of a logical");
  if (told.logical_bytes != 0) return object::fail(f::id, neutral::err_abi, "Fortran's logicals are known already");
  told.logical_bytes = bytes;
  std::memcpy(told.true_value.data(), true_value, static_cast<std::size_t>(bytes));
  std::memcpy(told.false_value.data(), false_value, static_cast<std::size_t>(bytes));
  return MPI_SUCCESS;
}

}  // namespace mana::manual
