// Messages that a drain received before the program asked for them. Receives and probes look here first, in order. So a
// message that was in flight at a checkpoint is received by the same rules as without a checkpoint.
#pragma once
#include <mana/lower/neutral.hpp>

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mana::object {

/// A mapping that holds messages. It is unmapped when it holds none and no more will come.
struct message_block {
  std::size_t length, used;
  std::atomic<std::size_t> holders;      // messages, and one for the inbox while it adds more
};

/// The receiver of a notice when a receive of the message begins: the sender of a synchronous send.
struct awaited_receive {
  std::int32_t world_rank = -1;          // -1: nobody
  std::uint32_t request = 0;             // there: bits of a virtual id
  std::uint64_t number = 0;              // there: descriptor<kind::request>::posted
};

/// A drained message and its packed bytes (MPI_PACKED form, `bytes` long, right behind this header).
struct held_message {
  held_message* next;
  std::uint64_t context;        // descriptor<kind::comm>::context
  std::int32_t source, tag;     // rank in that communicator
  std::int64_t bytes;
  message_block* block;         // the block that contains this
  awaited_receive awaited{};
  void* data() noexcept { return this + 1; }
};

}  // namespace mana::object

namespace mana::object {

/// INV-5 messages in the inbox keep their order per source and communicator, and it grows only in drains.
/// Because: drains add messages while all threads are parked. Otherwise threads look and take messages out one at a
/// time (with_inbox).
class inbox {
 public:
  bool empty() const noexcept { return __atomic_load_n(&held_, __ATOMIC_RELAXED) == 0; }     // without the lock

  /// Memory comes from mmap: a drain may run in a signal handler that interrupted malloc.
  /// out: nullptr when there is no memory
  /// cost: a mapping for many small messages
  static held_message* make(std::uint64_t context, const neutral::status& status) noexcept {
    const std::size_t length =
        (sizeof(held_message) + static_cast<std::size_t>(status.count_bytes) + 15) & ~std::size_t{15};
    while (room().lock.test_and_set(std::memory_order_acquire)) {}
    message_block* const block = block_with(length);
    held_message* m = nullptr;
    if (block != nullptr) {
      m = reinterpret_cast<held_message*>(reinterpret_cast<char*>(block) + block->used);
      *m = {nullptr, context, status.source, status.tag, status.count_bytes, block};
      block->used += length;
      block->holders.fetch_add(1, std::memory_order_relaxed);
    }
    room().lock.clear(std::memory_order_release);
    return m;
  }
  static void destroy(held_message* m) noexcept { let_go(m->block); }

  void append(held_message* m) noexcept {
    queue& q = queue_of(m->context);
    m->next = nullptr;
    *(q.last != nullptr ? &q.last->next : &q.first) = m;
    q.last = m;
    __atomic_store_n(&held_, held_ + 1, __ATOMIC_RELAXED);
  }

  /// First message, in the order received, that matches; nullptr if none. source, tag: neutral values, may be any_*.
  /// cost: as many steps as the communicator has messages before that one
  held_message* find(std::uint64_t context, int source, int tag) const noexcept {
    for (held_message* m = queues_[context % queues].first; m != nullptr; m = m->next)
      if (matches(*m, context, source, tag)) return m;
    return nullptr;
  }
  /// As find(), but removes the message; the caller owns it.
  held_message* take(std::uint64_t context, int source, int tag) noexcept {
    queue& q = queue_of(context);
    held_message* before = nullptr;
    for (held_message* m = q.first; m != nullptr; before = m, m = m->next) {
      if (!matches(*m, context, source, tag)) continue;
      (before != nullptr ? before->next : q.first) = m->next;
      if (q.last == m) q.last = before;
      __atomic_store_n(&held_, held_ - 1, __ATOMIC_RELAXED);
      return m;
    }
    return nullptr;
  }
  /// How many messages of that source and tag there are; neither is any_*.
  std::uint64_t count(std::uint64_t context, int source, int tag) const noexcept {
    std::uint64_t found = 0;
    for (const held_message* m = queues_[context % queues].first; m != nullptr; m = m->next)
      found += matches(*m, context, source, tag);
    return found;
  }
  /// in: n  below count()      out: the nth of those messages; the oldest is the 0th
  held_message* at(std::uint64_t context, int source, int tag, std::uint64_t n) const noexcept {
    held_message* m = queues_[context % queues].first;
    while (!matches(*m, context, source, tag) || n-- != 0) m = m->next;
    return m;
  }
  /// Calls f(const held_message&) for each message.
  template <class F>
  void for_each(F&& f) const {
    for (const queue& q : queues_)
      for (const held_message* m = q.first; m != nullptr; m = m->next) f(*m);
  }
  /// Drops the messages of a communicator that was freed.
  void drop(std::uint64_t context) noexcept {
    while (held_message* m = take(context, neutral::any_source, neutral::any_tag)) destroy(m);
  }

 private:
  /// The messages of communicators whose contexts leave the same remainder. Contexts are given out one after another.
  struct queue {
    held_message *first = nullptr, *last = nullptr;
  };
  static constexpr std::size_t queues = 1024;
  queue& queue_of(std::uint64_t context) noexcept { return queues_[context % queues]; }

  static constexpr std::size_t block_bytes = std::size_t{1} << 18;

  /// Where the next message is stored, for all inboxes.
  struct filling {
    message_block* block = nullptr;
    std::atomic_flag lock = ATOMIC_FLAG_INIT;
  };
  static filling& room() noexcept {
    static constinit filling one;
    return one;
  }

  /// A block with room for `bytes`; nullptr without memory. Caller holds the lock. A large message has a block of its
  /// own, which ends with it.
  static message_block* block_with(std::size_t bytes) noexcept {
    constexpr std::size_t head = (sizeof(message_block) + 15) & ~std::size_t{15};
    message_block*& now = room().block;
    const bool is_large = bytes > block_bytes / 4;
    if (!is_large && now != nullptr && now->length - now->used >= bytes) return now;
    const std::size_t length = is_large ? (head + bytes + 4095) & ~std::size_t{4095} : block_bytes;
    void* const p = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    if (is_large) return ::new (p) message_block{length, head, 0};
    if (now != nullptr) let_go(now);
    return now = ::new (p) message_block{length, head, 1};
  }
  static void let_go(message_block* block) noexcept {
    if (block->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) munmap(block, block->length);
  }

  static bool matches(const held_message& m, std::uint64_t context, int source, int tag) noexcept {
    return m.context == context && (source == neutral::any_source || source == m.source) &&
           (tag == neutral::any_tag || tag == m.tag);
  }
  std::size_t held_ = 0;
  queue queues_[queues];
};

inline neutral::status status_of(const held_message& m) noexcept {
  return {m.source, m.tag, neutral::success, 0, m.bytes};
}

}  // namespace mana::object
