// Notices from the traps about the upper half's descriptors, and their questions about the lower half's.
#pragma once

namespace mana::split {

/// The traps call these with the lower half's thread pointer and all signals blocked, only in the process that owns the
/// window (never in children). They may use libc, also malloc: a trap is synchronous in upper-half code.
struct descriptor_events {
  void (*opened)(int fd, int like) = nullptr;   // like: descriptor that it duplicates, or -1
  void (*received)(int fd) = nullptr;           // from another process, or from this one
  void (*paired)(int one, int other) = nullptr; // the ends of a socket pair
  void (*watched)(int fd, int watch, const char* path, bool is_link) = nullptr;   // inotify_add_watch
  void (*closed)(int fd) = nullptr;
  bool (*owned)(int fd) = nullptr;              // false: the lower half's, which the upper half must not close
  int (*next_owned)(int from) = nullptr;        // the lowest owned number from here on; -1: there is none
};

/// close(2) of numbers from here on is not trapped, and gives no notice. A loop up to the limit of open files, which
/// may be a thousand million, would take a trap for each number. An owned descriptor up there may therefore be closed
/// already. The lower half has a descriptor up there only if it has more than 15,000.
inline constexpr int first_untold_close = 16'384;

/// Set before start() or reinstall(). By default there are no notices, and every descriptor is the upper half's.
void set_descriptor_events(const descriptor_events& events) noexcept;

/// A child has shared the table of descriptors with this process (CLONE_FILES). There is no notice of descriptors that
/// the child opened and closed.
bool has_shared_descriptors() noexcept;
void note_shared_descriptors() noexcept;

}  // namespace mana::split
