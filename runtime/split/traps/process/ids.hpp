// Paths that name a thread or process by its id (INV-77).
#pragma once
#include <runtime/split/call/trap.hpp>

#include <csignal>

namespace mana::split {

/// While it lives, argument `path` of the call is the path that the program means by ids of before: /proc/ID/…, /proc/…/task/ID/….
/// What names none, or cannot be read, stays.
class with_current_ids {
 public:
  with_current_ids(trap& t, int path) noexcept;
  ~with_current_ids() { trap_.set_arg(path_, program_); }
  with_current_ids(const with_current_ids&) = delete;
  with_current_ids& operator=(const with_current_ids&) = delete;

 private:
  trap& trap_;
  int path_;
  long program_;         // the argument as the program gave it
  char text_[256];
};

/// readlink of /proc/self or /proc/thread-self: the ids that the program was told (INV-90). Their address is argument `path`, and
/// the buffer's is the next.
/// out: what readlink returns; 0 if it is another path, or the program was told no others than the kernel's
long link_to_itself(const trap& t, int path, int size) noexcept;

/// Of a signal that was waited for: INV-90
void tell_sender(program_pointer<siginfo_t> info) noexcept;

}  // namespace mana::split
