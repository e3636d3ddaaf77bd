// Copies of messages for calls that must not keep the program's buffer, packed by the live MPI.
#pragma once
#include <mana/call/narrow_call.hpp>
#include <mana/object/datatype/predefined.hpp>
#include <mana/object/request/form/message/point_to_point.hpp>

#include <mana/gen/lower_slots.hpp>

#include <climits>

namespace mana::object {

/// Bytes that a packed copy may need. out: neutral error class; *room
inline int packed_room(const message_arguments& m, std::int64_t* room) noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  std::int64_t bytes = 0;      // may exceed int even if the count does not
  const bool is_large = __builtin_mul_overflow(m.count, layout_of(m.type).size, &bytes) || bytes > INT_MAX / 2;
  return call::narrow_call(mpi.MPI_Pack_size_c, mpi.MPI_Pack_size,
                     {is_large && mpi.MPI_Pack_size_c != nullptr ? INT64_MAX : m.count},
                     [&]<class N>(auto* slot, N size) noexcept {
    const int rc = slot(static_cast<N>(m.count), m.type.real, m.comm.real, &size);
    *room = size;
    return rc;
  });
}

/// in: copy  char[room]      out: neutral error class; *bytes: the used part
inline int pack_into(const message_arguments& m, char* copy, std::int64_t room, std::int64_t* bytes) noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  return call::narrow_call(
      mpi.MPI_Pack_c, mpi.MPI_Pack, {m.count, room}, [&]<class N>(auto* slot, N position) noexcept {
        const int rc =
            slot(m.buffer, static_cast<N>(m.count), m.type.real, copy, static_cast<N>(room), &position, m.comm.real);
        *bytes = position;
        return rc;
      });
}

}  // namespace mana::object
