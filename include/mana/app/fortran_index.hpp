// Handles as Fortran integers. A virtual id is its own integer. If mpi.h's handles are integers (MPICH, the standard
// ABI), so is a predefined handle. If they are addresses (Open MPI), a predefined handle has its number in the family's
// mpif.h.
#pragma once
#include <mana/app/abi.hpp>
#include <mana/app/fortran_number.hpp>

#include <type_traits>

namespace mana::app {

/// Whether a handle's own bits are its number. The standard ABI's handles are pointers only for the compiler: those of
/// predefined objects are numbers below the first page of memory.
template <class Handle>
inline constexpr bool is_its_number = !std::is_pointer_v<Handle> || family::handles_are_numbers;

/// out: -1 for a handle that is neither a virtual id nor predefined, as Open MPI answers
template <class K>
inline MPI_Fint to_fortran(app::handle<K> handle) noexcept {
  if constexpr (!is_its_number<app::handle<K>>) {
    for (const auto& known : family::fortran_numbers(handle))
      if (known.handle == handle) return known.number;
    const virt<K> id = app::to_virt<K>(handle);
    return id.well_formed() ? static_cast<MPI_Fint>(id.bits()) : -1;
  } else {
    return static_cast<MPI_Fint>(handle_bits(handle));
  }
}
/// out: the null handle of the kind for a number that names nothing
template <class K>
inline app::handle<K> from_fortran(MPI_Fint number) noexcept {
  using handle = app::handle<K>;
  if constexpr (!is_its_number<handle>) {
    const virt<K> id(static_cast<std::uint32_t>(number));
    if (id.well_formed()) return app::from_virt<K>(id);
    const auto all = family::fortran_numbers(handle{});
    for (const auto& known : all)
      if (known.number == number) return known.handle;
    if (all.empty()) return handle{};
    return std::is_same_v<K, kind::comm> ? all.back().handle : all.front().handle;
  } else {
    return handle_of_bits<handle>(static_cast<std::uint32_t>(number));
  }
}

/// The number of a null handle of a kind of which the program can make no object.
template <class Handle>
inline MPI_Fint number_of_null(Handle null) noexcept {
  if constexpr (!is_its_number<Handle>) return 0;
  else return static_cast<MPI_Fint>(handle_bits(null));
}

}  // namespace mana::app
