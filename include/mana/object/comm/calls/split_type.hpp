// MPI_Comm_split_type. The result is described by its members, as every communicator is. So a restart builds it of the
// same ranks, even on hardware that would split them differently.
#pragma once
#include <mana/object/comm/calls/comm.hpp>

namespace mana::object {

/// A copy of hints in the live MPI, for the duration of a call that reads them.
class live_info {
 public:
  explicit live_info(MPI_Info given) noexcept {
    const info_store* const pairs = hints_of(given);
    if (pairs == nullptr) return;
    const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
    if (lower::cross([&] { return mpi.MPI_Info_create(&real_); }) != neutral::success) { real_ = null(); return; }
    for (int i = 0; i < pairs->size(); ++i) {
      const char* const key = pairs->key(i).c_str();
      const char* const value = pairs->find(key)->c_str();
      lower::cross([&] { return mpi.MPI_Info_set(real_, key, value); });
    }
  }
  ~live_info() {
    const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
    if (real_ != null()) lower::cross([&] { return mpi.MPI_Info_free(&real_); });
  }
  live_info(const live_info&) = delete;
  live_info& operator=(const live_info&) = delete;
  mana::real<kind::info> real() const noexcept { return real_; }
  /// Gives `given` the value that the live MPI has set for this key, if it has.
  void give_back(MPI_Info given, const char* key) const noexcept {
    info_store* const pairs = own_hints(given);
    const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
    if (pairs == nullptr || real_ == null() || mpi.MPI_Info_get == nullptr) return;
    char value[MPI_MAX_INFO_VAL + 1] = {};
    int found = 0;
    const int rc = lower::cross([&] { return mpi.MPI_Info_get(real_, key, MPI_MAX_INFO_VAL, value, &found); });
    if (rc == neutral::success && found != 0) pairs->set(key, value);
  }

 private:
  static mana::real<kind::info> null() noexcept { return lower::predefined(neutral::info_null); }
  mana::real<kind::info> real_ = null();
};

}  // namespace mana::object

namespace mana::manual {

inline int comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) noexcept {
  const int neutral_type = app::neutral_constant<kind::split_type>(type);
  return object::construct_comm<fn::comm_split_type>(
      comm, out,
      // Made here, next to the call: a checkpoint may have come before, and with it another live MPI.
      [=](real<kind::comm> parent, real<kind::comm>* made) noexcept {
        return lower::cross_up([=] {
          const object::live_info hints(info);
          const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
          const int rc =
              lower::cross([&] { return mpi.MPI_Comm_split_type(parent, neutral_type, key, hints.real(), made); });
          // The only hint that the call sets (MPI-4.1 7.4.2): by what resource it has split.
          if (neutral_type == neutral::comm_type_hw_unguided) hints.give_back(info, "mpi_hw_resource_type");
          return rc;
        });
      },
      object::nothing_more, type != MPI_UNDEFINED);
}

}  // namespace mana::manual
