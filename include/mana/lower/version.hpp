// Versions of the boundary between the halves. An image keeps its wrapper library, its trampolines and its bridge for ever; the
// lower half that it is restarted with may be newer.
//
// INV-92 an image restarts with every later version of mana of the same major: within one, nothing that an image has or calls is
// moved, removed or given another meaning.
//
// The major is that of the layout: every offset of abi.hpp, the order of its tables, the neutral values, what the trampolines
// and the loader keep in the window. It is raised only where there is no other way, and then no image of before restarts.
// The minor counts what was appended: services at the end of their struct, slots at the end of codegen/slots.lock, words at
// the end of the bridge or in a thread's spare ones. Whoever appends raises it, and adds a row below.
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

/// How large the tables were with a minor: what lies beyond came later. Slots: see codegen/slots.lock.
struct table_sizes {
  std::uint32_t minor;
  std::uint32_t services, bridge;      // bytes
};
inline constexpr table_sizes sizes_by_minor[] = {
    {0, 416, 9760},
};

inline constexpr std::uint32_t layout_major = 8;
inline constexpr std::uint32_t services_minor = sizes_by_minor[std::size(sizes_by_minor) - 1].minor;

/// The oldest images, and the versions of mana that read them: the last of each row's majors.
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

/// At the beginning of each table. What lies beyond `bytes` is not there.
struct table_head {
  std::uint32_t bytes;                 // of the table, this included
  std::uint32_t minor;                 // services_minor of who made it
};

template <class Table>
constexpr table_head head_of() noexcept { return {static_cast<std::uint32_t>(sizeof(Table)), services_minor}; }

/// Whether a table has a member: it was made with it, and, where that is an address, there is something.
template <class Table, class Member>
bool has(const Table& table, Member Table::* member) noexcept {
  const auto* const begin = reinterpret_cast<const char*>(&table);
  const auto* const place = reinterpret_cast<const char*>(&(table.*member));
  if (static_cast<std::size_t>(place - begin) + sizeof(Member) > table.head.bytes) return false;
  if constexpr (std::is_pointer_v<Member>) return table.*member != nullptr;
  else return true;
}

}  // namespace mana::lower
