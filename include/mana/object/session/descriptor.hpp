// Sessions: plain data of the upper half. What belongs to the live MPI is one for all of them.
#pragma once
#include <mana/lower/neutral.hpp>
#include <mana/vid/id_table.hpp>

namespace mana::vid {

template <>
struct descriptor<kind::session> {
  std::uint32_t errhandler = neutral::errors_are_fatal;   // neutral code, or bits of a virtual id
  std::uint32_t info = 0;                                 // bits of a virtual id, 0: none
};

}  // namespace mana::vid
