// What the traps tell about the upper half's descriptors, and ask about the lower half's.
#pragma once

namespace mana::split {

/// Called with the lower half's thread pointer, all signals blocked, in the process that owns the window only (never in
/// children). They may use libc, also malloc: a trap is synchronous in upper-half code.
struct descriptor_events {
  void (*opened)(int fd, int like) = nullptr;   // like: descriptor it duplicates, or -1
  void (*received)(int fd) = nullptr;           // from another process, or from this one
  void (*paired)(int one, int other) = nullptr; // the ends of a socket pair
  void (*watched)(int fd, int watch, const char* path, bool is_link) = nullptr;   // inotify_add_watch
  void (*closed)(int fd) = nullptr;
  bool (*owned)(int fd) = nullptr;              // false: the lower half's, which the upper half must not close
  int (*next_owned)(int from) = nullptr;        // the lowest owned number from here on; -1: there is none
};

/// close(2) of numbers from here on is not trapped, nor told: loops up to the limit of open files, which may be a
/// thousand million, would take a trap for each. What is owned there may be closed already; a descriptor of the lower
/// half's is there only if it has more than 15,000.
inline constexpr int first_untold_close = 16'384;

/// Set before start() or reinstall(). Default: nothing is told, everything is the upper half's.
void set_descriptor_events(const descriptor_events& events) noexcept;

/// A child has had the table of descriptors in common with this process (CLONE_FILES): nothing is told of what it opened and
/// closed.
bool has_shared_descriptors() noexcept;
void note_shared_descriptors() noexcept;

}  // namespace mana::split
