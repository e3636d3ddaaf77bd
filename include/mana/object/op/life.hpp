// The life of user-defined operations. The lower half knows only an operation's number.
#pragma once
#include <mana/app/error_space.hpp>
#include <mana/call/library.hpp>
#include <mana/object/op/descriptor.hpp>

#include <mana/lower/cross.hpp>

#include <mana/gen/lower_slots.hpp>

#include <algorithm>
#include <iterator>
#include <mutex>

namespace mana::object {

using op_entry = vid::entry<kind::op>;

/// How a function of C++ is called.
using op_proxy = void (*)(void (*function)(), void* in, void* inout, int* count, MPI_Datatype* type);

/// The function of each number. A number is used again only after all others have been used.
struct op_numbers {
  struct user {
    void (*function)() = nullptr;
    bool large = false, is_fortran = false, taken = false;
    op_proxy by_proxy = nullptr;              // null: the function is called directly
  };
  user all[max_user_ops];
  std::uint32_t fresh = 0;                    // numbers from here on have never been used
};
inline op_numbers& user_ops() noexcept {
  static op_numbers numbers;
  return numbers;
}

/// out: a number that calls `function` from now on; max_user_ops if none is left
inline std::uint32_t take_op_number(void (*function)(), bool large) noexcept {
  const std::lock_guard hold(app::cold_lock());
  op_numbers& ops = user_ops();
  std::uint32_t number = ops.fresh;
  if (number < max_user_ops) ++ops.fresh;
  else {
    const auto is_free = [](const op_numbers::user& u) { return !u.taken; };
    number = static_cast<std::uint32_t>(std::find_if(std::begin(ops.all), std::end(ops.all), is_free) - ops.all);
  }
  if (number < max_user_ops) ops.all[number] = {function, large, false, true, nullptr};
  return number;
}
inline void give_op_number_back(std::uint32_t number) noexcept {
  const std::lock_guard hold(app::cold_lock());
  user_ops().all[number].taken = false;
}

inline void keep_op(op_entry& e) noexcept { count_up(e.references, call::library().callers); }

/// The program frees its handle, or an operation that used it is over. After the last reference no reduction may call
/// its number (INV-67). Caller is in a wrapper_scope.      out: neutral error class
inline int let_go_of_op(op_entry& e) noexcept {
  if (!count_down(e.references, call::library().callers)) return neutral::success;
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  const int rc = lower::cross([&] { return mpi.MPI_Op_free(&e.real); });
  give_op_number_back(e.what.number);
  vid::table<kind::op>().erase(e);
  return rc;
}

}  // namespace mana::object
