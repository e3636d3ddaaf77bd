// Arguments of Fortran as those of C's functions, and back.
#pragma once
#include <mana/calls.hpp>

#include <cstring>

extern "C" {
// Constants of Fortran, recognised by their addresses. They are in the program, if it is written in Fortran.
extern int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_buffer_automatic_;
extern double mpi_fortran_status_ignore_[], mpi_fortran_statuses_ignore_[];
}

namespace mana::fortran {

using fint = MPI_Fint;
static_assert(std::is_same_v<fint, int>, "arrays of counts and indices are passed on as they are");

inline void answer(fint* ierr, int code) noexcept {
  if (ierr != nullptr) *ierr = code;
}

inline void* buffer(void* given) noexcept {
  if (given == &mpi_fortran_in_place_) return MPI_IN_PLACE;
#if defined(MPI_BUFFER_AUTOMATIC)
  if (given == &mpi_fortran_buffer_automatic_) return MPI_BUFFER_AUTOMATIC;
#endif
  return given == &mpi_fortran_bottom_ ? MPI_BOTTOM : given;
}

/// Fortran's requests as C's. The destructor gives Fortran the requests' new values.
class requests {
 public:
  requests(int n, fint* numbers) noexcept : count_(n > 0 ? n : 0), numbers_(numbers), handles_(count_) {
    for (int i = 0; i < count_; ++i) handles_[i] = PMPI_Request_f2c(numbers_[i]);
  }
  ~requests() {
    for (int i = 0; i < count_; ++i) numbers_[i] = PMPI_Request_c2f(handles_[i]);
  }
  requests(const requests&) = delete;
  requests& operator=(const requests&) = delete;
  MPI_Request* data() noexcept { return handles_.data(); }

 private:
  int count_;
  fint* numbers_;
  object::scratch<MPI_Request, 64> handles_;
};

/// A status, or n of them; nullptr, which is MPI_STATUS(ES)_IGNORE, if Fortran ignores them. Fortran's are as long as
/// C's, but need not be aligned.
class statuses {
 public:
  explicit statuses(int n, fint* given) noexcept
      : bytes_(ignored(given) || n < 0 ? 0 : static_cast<std::size_t>(n) * sizeof(MPI_Status)),
        given_(given),
        all_(n > 0 ? n : 0) {
    if (bytes_ != 0) std::memcpy(all_.data(), given_, bytes_);
  }
  ~statuses() {
    if (bytes_ != 0) std::memcpy(given_, all_.data(), bytes_);
  }
  statuses(const statuses&) = delete;
  statuses& operator=(const statuses&) = delete;
  MPI_Status* data() noexcept { return ignored(given_) ? nullptr : all_.data(); }

 private:
  static bool ignored(const fint* given) noexcept {
    const void* const at = given;
    return at == nullptr || at == mpi_fortran_status_ignore_ || at == mpi_fortran_statuses_ignore_;
  }
  std::size_t bytes_;
  fint* given_;
  object::scratch<MPI_Status, 16> all_;
};

/// An array of datatypes with n entries. C's functions read no more of them.
class datatypes {
 public:
  datatypes(int n, const fint* numbers) noexcept : handles_(n) {
    for (int i = 0; i < n; ++i) handles_[i] = PMPI_Type_f2c(numbers[i]);
  }
  const MPI_Datatype* data() noexcept { return handles_.data(); }

 private:
  object::scratch<MPI_Datatype, 64> handles_;
};

}  // namespace mana::fortran
