// Paths that name a thread or process by its id (INV-77).
#pragma once
#include <runtime/split/call/trap.hpp>

#include <csignal>

namespace mana::split {

/// While it lives, argument `path` of the call has present ids instead of earlier ones: /proc/ID/…, /proc/…/task/ID/….
/// A path without ids, or an unreadable one, stays unchanged.
class with_current_ids {
 public:
  with_current_ids(trap& t, int path) noexcept;
  ~with_current_ids() { trap_.set_arg(path_, program_); }
  with_current_ids(const with_current_ids&) = delete;
  with_current_ids& operator=(const with_current_ids&) = delete;

 private:
  trap& trap_;
  int path_;
  long program_;         // the program's own argument
  char text_[256];
};

/// readlink of /proc/self or /proc/thread-self: answers with the ids that the program was told (INV-90). Argument
/// `path` has the path's address; the next argument has the buffer's.
/// out: readlink's result; 0: another path, or the program was told the kernel's ids
long link_to_itself(const trap& t, int path, int size) noexcept;

/// For a signal that a wait has returned: INV-90
void tell_sender(program_pointer<siginfo_t> info) noexcept;

}  // namespace mana::split
