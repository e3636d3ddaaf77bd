// Makes a datatype of the live MPI from a recipe, in the same way when the program makes it and when a restart makes it
// again. Nothing here allocates: a restart may have interrupted malloc.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/object/datatype/descriptor.hpp>
#include <mana/object/datatype/grid.hpp>

#include <mana/gen/lower_slots.hpp>
#include <mana/lower/cross.hpp>

#include <climits>

namespace mana::object {


/// How many of a large recipe's counts are numbers of elements; the rest are byte displacements.
inline int element_counts(const recipe& r) noexcept {
  const int n = r.counts_size();
  switch (r.how()) {
    case combiner::hvector: case combiner::hindexed_block: return 2;
    case combiner::hindexed: case combiner::structure: return 1 + (n - 1) / 2;
    case combiner::resized: return 0;
    default: return n;
  }
}

/// The constructors with int counts. i: the numbers, a: the byte displacements      out: neutral error class
inline int make_small(const lower::mpi_slots& mpi, const recipe& r, const int* i, const std::int64_t* a,
                      real<kind::datatype>* out) noexcept {
  const real<kind::datatype> old(r.types_size() > 0 ? r.reals()[0].bits() : 0);
  switch (r.how()) {
    case combiner::dup: return mpi.MPI_Type_dup(old, out);
    case combiner::contiguous: return mpi.MPI_Type_contiguous(i[0], old, out);
    case combiner::vector: return mpi.MPI_Type_vector(i[0], i[1], i[2], old, out);
    case combiner::hvector: return mpi.MPI_Type_create_hvector(i[0], i[1], a[0], old, out);
    case combiner::indexed: return mpi.MPI_Type_indexed(i[0], i + 1, i + 1 + i[0], old, out);
    case combiner::hindexed: return mpi.MPI_Type_create_hindexed(i[0], i + 1, a, old, out);
    case combiner::indexed_block: return mpi.MPI_Type_create_indexed_block(i[0], i[1], i + 2, old, out);
    case combiner::hindexed_block: return mpi.MPI_Type_create_hindexed_block(i[0], i[1], a, old, out);
    case combiner::structure: return mpi.MPI_Type_create_struct(i[0], i + 1, a, r.reals(), out);
    case combiner::resized: return mpi.MPI_Type_create_resized(old, a[0], a[1], out);
    case combiner::f90_real: return mpi.MPI_Type_create_f90_real(i[0], i[1], out);
    case combiner::f90_complex: return mpi.MPI_Type_create_f90_complex(i[0], i[1], out);
    case combiner::f90_integer: return mpi.MPI_Type_create_f90_integer(i[0], out);
    case combiner::subarray: case combiner::darray: break;      // grid.hpp
  }
  return neutral::err_intern;
}

/// The constructors with MPI_Count counts. out: neutral error class; err_unsupported_operation if the live MPI has none
inline int make_large(const lower::mpi_slots& mpi, const recipe& r, real<kind::datatype>* out) noexcept {
  const real<kind::datatype> old(r.types_size() > 0 ? r.reals()[0].bits() : 0);
  const std::int64_t* const c = r.counts();
  const auto call = [](auto* slot, auto... args) noexcept {
    return slot != nullptr ? slot(args...) : int{neutral::err_unsupported_operation}; };
  switch (r.how()) {
    case combiner::contiguous: return call(mpi.MPI_Type_contiguous_c, c[0], old, out);
    case combiner::vector: return call(mpi.MPI_Type_vector_c, c[0], c[1], c[2], old, out);
    case combiner::hvector: return call(mpi.MPI_Type_create_hvector_c, c[0], c[1], c[2], old, out);
    case combiner::indexed: return call(mpi.MPI_Type_indexed_c, c[0], c + 1, c + 1 + c[0], old, out);
    case combiner::hindexed: return call(mpi.MPI_Type_create_hindexed_c, c[0], c + 1, c + 1 + c[0], old, out);
    case combiner::indexed_block: return call(mpi.MPI_Type_create_indexed_block_c, c[0], c[1], c + 2, old, out);
    case combiner::hindexed_block: return call(mpi.MPI_Type_create_hindexed_block_c, c[0], c[1], c + 2, old, out);
    case combiner::structure: return call(mpi.MPI_Type_create_struct_c, c[0], c + 1, c + 1 + c[0],
                                          static_cast<const real<kind::datatype>*>(r.reals()), out);
    default: return neutral::err_unsupported_operation;
  }
}

/// Runs in the lower half. Large recipes whose numbers fit into int are made by the constructors that every MPI has.
inline int make_datatype(const lower::mpi_slots& mpi, const recipe& r, std::int64_t old_extent,
                         real<kind::datatype>* out) noexcept {
  if (r.how() == combiner::subarray) return make_subarray(mpi, r, old_extent, out);
  if (r.how() == combiner::darray) return make_darray(mpi, r, old_extent, out);
  if (!r.large()) return make_small(mpi, r, r.ints(), r.addresses(), out);
  const int n = element_counts(r);
  bool fits = true;
  for (int k = 0; k < n; ++k) {
    fits = fits && r.counts()[k] >= INT_MIN && r.counts()[k] <= INT_MAX;
    r.narrow()[k] = static_cast<int>(r.counts()[k]);
  }
  return fits ? make_small(mpi, r, r.narrow(), r.counts() + n, out) : make_large(mpi, r, out);
}

/// Makes the real datatype. Inner datatypes must be real already. out: neutral error class
inline int build_datatype(const recipe& r, real<kind::datatype>& made) noexcept {
  for (int t = 0; t < r.types_size(); ++t) r.reals()[t] = real_of<kind::datatype>(r.types()[t]);
  const std::int64_t extent = is_grid(r) ? layout_named(r.types()[0]).extent : 0;
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  return lower::cross([&] { return make_datatype(mpi, r, extent, &made); });
}

}  // namespace mana::object
