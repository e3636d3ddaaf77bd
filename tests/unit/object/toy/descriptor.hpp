// A class of objects that no MPI has, made of what this folder says. Tallies are counters of the program; what is added to one is
// under way in the live MPI first.
#pragma once
#include <mana/app/abi.hpp>
#include <mana/core/kind.hpp>
#include <mana/lower/inventory.hpp>
#include <mana/object/classes.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

namespace toy {

struct tally {
  static constexpr auto code = static_cast<mana::kind_code>(14);       // of no kind of MPI's
  static constexpr const char* name = "tally";
};
static_assert((mana::all_codes >> 14 & 1) == 0);

/// The program's handle.
enum class handle : unsigned {};

// One is predefined: it counts nothing.
inline constexpr unsigned nothing_code = 0x3f0;
inline constexpr handle nothing{7};
template <class Row>
void for_each_predefined(tally, Row&& row) { row(nothing_code, nothing, "TALLY_NOTHING"); }

/// Its place in the inventory, after those that have a name.
inline constexpr auto place = static_cast<mana::lower::counted>(mana::lower::inventory_names.size());
static_assert(static_cast<unsigned>(place) < mana::lower::inventory_limit);

}  // namespace toy

namespace mana {

template <>
struct class_facts<toy::tally> {
  static constexpr int error = neutral::err_arg;
  static constexpr lower::counted counted = toy::place;
  static constexpr bool follows_thread_level = true;
};

template <>
struct app::handle_type<toy::tally> { using type = toy::handle; };

template <>
struct descriptor<toy::tally> {
  int value = 0;
  int under_way = 0;                 // what is added by the request that is pending
  real<kind::request> pending{};     // in the live MPI
};

}  // namespace mana
