// Hooks around checkpoints in C++. A hook is called as long as its object lives. docs/tools.md says what a hook may do.
#pragma once
#include <mana/api.h>

#include <type_traits>
#include <utility>

namespace mana {

/// Calls f(const mana_hook_info&) at each `event`, from construction to destruction. The object cannot move: MANA holds
/// its address.
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

  /// False without MANA, and if the table of hooks was full.
  bool is_set() const noexcept { return number_ >= 0; }

 private:
  static void call(mana_event, const mana_hook_info* info, void* self) { static_cast<hook*>(self)->f_(*info); }

  F f_;
  int number_;
};

}  // namespace mana
