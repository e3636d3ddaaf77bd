// Messages that a drain received before the application asked for them. Receives and probes look here first, in order;
// so a message that was in flight at a checkpoint is received by the rules that it would have been received by anyway.
#pragma once
#include <mana/lower/neutral.hpp>

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace mana::vid {

/// A drained message and its packed bytes (MPI_PACKED form, `bytes` long, right behind this header).
struct held_message {
  held_message* next;
  std::uint64_t context;        // descriptor<kind::comm>::context
  std::int32_t source, tag;     // rank in that communicator
  std::int64_t bytes;
  std::size_t mapped;           // length of the mapping that holds this
  void* data() noexcept { return this + 1; }
};

}  // namespace mana::vid

namespace mana::drain {

/// INV-5 the inbox changes only while no other thread of the application runs wrapper code: drains add while all
/// threads are parked. Taking out is done under the wrapper library's own order (see take()).
class inbox {
 public:
  bool empty() const noexcept { return first_ == nullptr; }

  /// Memory comes from mmap: a drain may run in a signal handler that interrupted malloc.
  /// out: nullptr when there is no memory
  static vid::held_message* make(std::uint64_t context, const neutral::status& status) noexcept {
    const std::size_t length =
        (sizeof(vid::held_message) + static_cast<std::size_t>(status.count_bytes) + 4095) & ~std::size_t{4095};
    void* const p = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    auto* m = static_cast<vid::held_message*>(p);
    *m = {nullptr, context, status.source, status.tag, status.count_bytes, length};
    return m;
  }
  static void destroy(vid::held_message* m) noexcept { munmap(m, m->mapped); }

  void append(vid::held_message* m) noexcept {
    m->next = nullptr;
    *(last_ != nullptr ? &last_->next : &first_) = m;
    last_ = m;
  }

  /// First message, in the order received, that matches; nullptr if none. source, tag: neutral values, may be any_*.
  vid::held_message* find(std::uint64_t context, int source, int tag) const noexcept {
    for (vid::held_message* m = first_; m != nullptr; m = m->next)
      if (matches(*m, context, source, tag)) return m;
    return nullptr;
  }
  /// As find(), and removes it; the caller owns it.
  vid::held_message* take(std::uint64_t context, int source, int tag) noexcept {
    vid::held_message* before = nullptr;
    for (vid::held_message* m = first_; m != nullptr; before = m, m = m->next) {
      if (!matches(*m, context, source, tag)) continue;
      (before != nullptr ? before->next : first_) = m->next;
      if (last_ == m) last_ = before;
      return m;
    }
    return nullptr;
  }
  /// Drops what belongs to a communicator that was freed.
  void drop(std::uint64_t context) noexcept {
    while (vid::held_message* m = take(context, neutral::any_source, neutral::any_tag)) destroy(m);
  }

 private:
  static bool matches(const vid::held_message& m, std::uint64_t context, int source, int tag) noexcept {
    return m.context == context && (source == neutral::any_source || source == m.source) &&
           (tag == neutral::any_tag || tag == m.tag);
  }
  vid::held_message* first_ = nullptr;
  vid::held_message* last_ = nullptr;
};

inline neutral::status status_of(const vid::held_message& m) noexcept {
  return {m.source, m.tag, neutral::success, 0, m.bytes};
}

}  // namespace mana::drain
