// Versions of the boundary between the halves. An image keeps its wrapper library, its trampolines and its bridge
// forever. The lower half that restarts it may be newer.
//
// INV-92 an image restarts with every later version of mana of the same major: within one, nothing that an image has or
// calls is moved, removed or given another meaning.
//
// The major is that of the layout: every offset of abi.hpp, the order of its tables, the neutral values. It also covers
// the data that the trampolines and the loader keep in the window. Raise it only if nothing else works. Then no older
// image restarts.
// The minor counts appended items: services at the end of their struct, slots at the end of codegen/slots.lock. It also
// counts words that were appended to the bridge, or taken from a thread's spare ones, members of upper_functions, and
// sections of an image. Raise the minor if you append,
// and add a row below.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace mana::lower {

struct boundary_version {
  std::uint32_t major, minor;
  friend constexpr bool operator==(boundary_version, boundary_version) noexcept = default;
};

/// The sizes of the tables with a minor. A member beyond the size came later. Slots: see codegen/slots.lock.
struct table_sizes {
  std::uint32_t minor;
  std::uint32_t services, bridge;      // bytes
};
inline constexpr table_sizes sizes_by_minor[] = {
    {0, 416, 9760},
    {1, 424, 9760},
    {2, 424, 9760},
    {3, 424, 9760},
};

inline constexpr std::uint32_t layout_major = 8;
inline constexpr std::uint32_t services_minor = sizes_by_minor[std::size(sizes_by_minor) - 1].minor;

/// Former majors, and the last version of mana that reads images of each.
struct former_major {
  std::uint32_t major;
  const char* mana;
};
inline constexpr former_major former_majors[] = {{7, "0.1.0"}};
inline constexpr const char* first_mana_of_major = "0.2.0";

/// Whether a lower half of version `own` restarts an image of version `image`.
constexpr bool reads(boundary_version own, boundary_version image) noexcept {
  return image.major == own.major && image.minor <= own.minor;
}

/// The beginning of each table. Members beyond `bytes` do not exist.
struct table_head {
  std::uint32_t bytes;                 // of the table, this included
  std::uint32_t minor;                 // services_minor of the half that made it
};

template <class Table>
constexpr table_head head_of() noexcept { return {static_cast<std::uint32_t>(sizeof(Table)), services_minor}; }

/// Whether a table has a member: it lies within the table's size, and an address is not null.
template <class Table, class Member>
bool has(const Table& table, Member Table::* member) noexcept {
  const auto* const begin = reinterpret_cast<const char*>(&table);
  const auto* const place = reinterpret_cast<const char*>(&(table.*member));
  if (static_cast<std::size_t>(place - begin) + sizeof(Member) > table.head.bytes) return false;
  if constexpr (std::is_pointer_v<Member>) return table.*member != nullptr;
  else return true;
}

}  // namespace mana::lower
