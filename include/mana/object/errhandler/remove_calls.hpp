// Removal of error classes, codes and texts that the program added (MPI-4.1).
#pragma once
#include <mana/app/error_space.hpp>
#include <mana/object/errhandler/calls.hpp>

#include <mutex>

namespace mana::object {

/// Changes a class or code that was added and not removed yet; is_class: code is a class.
template <class Fn, class Change>
inline int change_added(int code, bool is_class, Change&& change) noexcept {
  {
    const std::lock_guard hold(app::cold_lock());
    if (app::errors().added(code) && app::errors().is_class(code) >= is_class) {
      change(app::errors());
      return MPI_SUCCESS;
    }
  }
  return fail(Fn::id, neutral::err_other, "the program did not add it, or removed it");
}

}  // namespace mana::object

namespace mana::manual {

inline int remove_error_class(int code) noexcept {
  return object::change_added<fn::remove_error_class>(code, true, [=](auto& all) { all.remove(code); });
}
inline int remove_error_code(int code) noexcept {
  return object::change_added<fn::remove_error_code>(code, false, [=](auto& all) { all.remove(code); });
}
inline int remove_error_string(int code) noexcept {
  return object::change_added<fn::remove_error_string>(code, false, [=](auto& all) { all.set_text(code, ""); });
}

}  // namespace mana::manual
