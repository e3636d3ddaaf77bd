// Hooks around checkpoints in C++: an object that is called as long as it lives. See docs/tools.md for what it may do.
#pragma once
#include <mana/api.h>

#include <type_traits>
#include <utility>

namespace mana {

/// Calls f(const mana_hook_info&) at each `event`, from its construction to its destruction. It stays where it was
/// made.
template <class F>
class hook {
  static_assert(std::is_invocable_v<F&, const mana_hook_info&>, "a hook takes a const mana_hook_info&");

 public:
  hook(mana_event event, F f) : f_(std::move(f)), number_(mana_hook_add(event, &hook::call, this)) {}
  ~hook() {
    if (number_ >= 0) mana_hook_remove(number_);
  }
  hook(const hook&) = delete;
  hook& operator=(const hook&) = delete;

  /// False without MANA, and where no further hook can be added.
  bool is_set() const noexcept { return number_ >= 0; }

 private:
  static void call(mana_event, const mana_hook_info* info, void* self) { static_cast<hook*>(self)->f_(*info); }

  F f_;
  int number_;
};

}  // namespace mana
