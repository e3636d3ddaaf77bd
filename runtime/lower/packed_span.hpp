// Any number of packed bytes as one count and type, even if MPI's counts have 32 bits.
#pragma once
#include <mpi.h>

#include <climits>
#include <cstdint>

namespace mana::real_mpi {

/// MPI_PACKED × bytes up to INT_MAX. A longer span is one element of a type made of MPI_PACKED, which is freed with the
/// span; MPI keeps the type alive for operations under way.
class packed_span {
 public:
  explicit packed_span(std::int64_t bytes) noexcept {
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    constexpr std::int64_t chunk = std::int64_t{1} << 30;
    const int lengths[2] = {static_cast<int>(bytes / chunk), static_cast<int>(bytes % chunk)};
    const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(bytes - bytes % chunk)};
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_PACKED};
    PMPI_Type_contiguous(static_cast<int>(chunk), MPI_PACKED, &parts[0]);
    PMPI_Type_create_struct(2, lengths, places, parts, &type_);
    PMPI_Type_commit(&type_);
    PMPI_Type_free(&parts[0]);
    count_ = 1;
  }
  packed_span(const packed_span&) = delete;
  packed_span& operator=(const packed_span&) = delete;
  ~packed_span() {
    if (type_ != MPI_PACKED) PMPI_Type_free(&type_);
  }

  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_PACKED;
};

}  // namespace mana::real_mpi
