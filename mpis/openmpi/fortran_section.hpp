// Buffers of Fortran. In the module mpi_f08 they have descriptors (Fortran 2018, 18.5), if the compiler that Open MPI was
// built with has these. A part of an array need not be contiguous. Open MPI makes a datatype of such a part, and sends one.
#pragma once
#include <mpi.h>

#include <dlfcn.h>

#include <climits>
#include <cstddef>

namespace mana::fortran {

/// The beginning of a descriptor. The standard puts the first three members there. The rank follows in the compilers
/// with which Open MPI has descriptors.
struct descriptor {
  void* base;
  std::size_t element;
  int version;
  signed char rank;
};

/// Functions of the compiler's library and of Open MPI's, which know all of a descriptor.
struct of_descriptors {
  int (*is_contiguous)(const descriptor*);
  /// out: an error code; after success `made` is one element in place of the given ones
  int (*make_type)(const descriptor*, int count, MPI_Datatype type, MPI_Datatype* made);
};

/// Looked up once. An Open MPI without descriptors does not have the function that makes types.
inline const of_descriptors& the_descriptors() noexcept {
  static const of_descriptors found = {
      reinterpret_cast<decltype(of_descriptors::is_contiguous)>(dlsym(RTLD_DEFAULT, "CFI_is_contiguous")),
      reinterpret_cast<decltype(of_descriptors::make_type)>(dlsym(RTLD_DEFAULT, "ompi_ts_create_datatype"))};
  return found;
}

/// A buffer: its address, and its descriptor if it is not contiguous.
struct section {
  void* base = nullptr;
  const descriptor* parts = nullptr;
};

/// Buffers in mpif.h.
struct by_address {
  using given = void*;
  static section read(void* address) noexcept { return {address}; }
};
/// Buffers in mpi_f08.
struct by_descriptor {
  using given = descriptor*;
  static section read(descriptor* buffer) noexcept {
    const of_descriptors& known = the_descriptors();
    if (known.is_contiguous == nullptr || known.make_type == nullptr) return {buffer};     // an address
    return {buffer->base, buffer->rank == 0 || known.is_contiguous(buffer) != 0 ? nullptr : buffer};
  }
};

/// Replaces `count` elements of `type` by one element of a type of the section.
/// out: an error code; after success the caller frees the type
template <class Count>
int describe(const section& buffer, Count& count, MPI_Datatype& type) noexcept {
  if (count > INT_MAX) return MPI_ERR_COUNT;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int rc = the_descriptors().make_type(buffer.parts, static_cast<int>(count), type, &made);
  if (rc != MPI_SUCCESS) return rc;
  count = 1;
  type = made;
  return MPI_SUCCESS;
}

}  // namespace mana::fortran
