#include <runtime/split/filter/table.hpp>

#include <runtime/split/traps/waiting/clocks.hpp>

#include <runtime/split/window/layout.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace mana::split {
namespace {

struct named_row {
  std::string_view name;
  trapped_in where;
  trap_row row;
};

#define MANA_TRAPPED(name, number, where, handler, when, argument, why) \
  {#name, trapped_in::where, {number, handler, condition::when, argument}},
#define MANA_PASSING(name, number, why)
constexpr named_row trapped[] = {MANA_SYSTEM_CALLS(MANA_TRAPPED, MANA_PASSING)};
#undef MANA_TRAPPED
#undef MANA_PASSING

consteval unsigned number_of(std::string_view name) {
  return std::ranges::find(trapped, name, &named_row::name)->row.number;
}
// Newer than this libc's headers: other files define names of their own for these numbers.
static_assert(number_of("mseal") == number_of_mseal && number_of("faccessat2") == number_of_faccessat2 &&
              number_of("futex_waitv") == number_of_futex_waitv && number_of("futex_wait") == number_of_futex_wait);

/// The handler of a call is found by the call's number alone.
consteval bool are_distinct() {
  std::vector<unsigned> numbers;
  for (const named_row& each : trapped) numbers.push_back(each.row.number);
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}
static_assert(are_distinct());

template <trapped_in Where>
consteval auto rows_in() {
  std::array<trap_row, static_cast<std::size_t>(std::ranges::count(trapped, Where, &named_row::where))> rows{};
  std::size_t n = 0;
  for (const named_row& each : trapped)
    if (each.where == Where) rows[n++] = each.row;
  return rows;
}

template <trapped_in Where>
constexpr auto rows = rows_in<Where>();

}  // namespace

std::span<const trap_row> trap_table(trapped_in where) noexcept {
  switch (where) {
    case trapped_in::every_process: return rows<trapped_in::every_process>;
    case trapped_in::moved_clocks: return rows<trapped_in::moved_clocks>;
    case trapped_in::restarted: return rows<trapped_in::restarted>;
    case trapped_in::told_ids: return rows<trapped_in::told_ids>;
  }
  return {};
}

}  // namespace mana::split
