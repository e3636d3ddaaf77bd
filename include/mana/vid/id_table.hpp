// Virtual ids of one kind, in a typed table. A look-up is one bounds check and one load. Insert and erase take no lock
// and no memory from an allocator. While callers take turns, they also use no locked instruction.
#pragma once
#include <mana/core/handle.hpp>
#include <mana/core/turns.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

namespace mana {

/// The data that answers queries about a virtual object and builds it again at a restart. Specialised for each kind.
template <class K>
struct descriptor;

}  // namespace mana

namespace mana::vid {

/// One object. Its address is stable while the id is live. The memory stays mapped forever, so stale reads are safe.
template <class K>
struct entry {
  mana::real<K> real{};           // handle of the live lower half; empty before it exists and after it is freed
  std::uint32_t state = 0;        // generation, and live_bit while the id is in use
  std::uint32_t references = 0;   // the number of users that keep the object: see object/request/operands.hpp
  std::uint64_t serial = 0;       // order of creation within this table
  // index + 1 of the next entry in a list: of the table's free entries, or of its kind's live ones
  std::uint32_t next_free = 0;
  std::uint32_t index = 0;
  descriptor<K> what{};
};

template <class K>
class id_table {
 public:
  static constexpr std::uint32_t live_bit = 0x8000'0000u;
  static constexpr std::uint32_t capacity = 1u << virt<K>::index_bits;

  id_table() noexcept {
    // Reserved, not touched: an image holds only the pages that were used.
    void* const base = mmap(nullptr, sizeof(entry<K>) * capacity, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) std::abort();
    entries_ = static_cast<entry<K>*>(base);
  }
  id_table(const id_table&) = delete;
  id_table& operator=(const id_table&) = delete;

  /// Whether inserts and erases come from one thread at a time. Before this call they may come at once.
  void set_turns(turns t) noexcept { turns_ = t; }
  /// The limit on ids, at most `capacity`. Ids that were freed count too.
  void set_limit(std::uint32_t ids) noexcept { limit_ = ids; }

  /// A live id with a fresh descriptor.
  /// out: entry, or nullptr if all ids are in use      cost: O(1), lock-free
  entry<K>* insert_entry() noexcept {
    entry<K>* e = pop_free();
    if (e == nullptr) {
      const std::uint32_t index = take_next(used_, turns_);
      if (index >= limit_) { used_.fetch_sub(1, std::memory_order_relaxed); return nullptr; }
      e = entries_ + index;
      e->index = index;
    }
    ::new (&e->what) descriptor<K>;      // without braces: member by member, not a memset before it
    e->real = {};
    e->references = 0;
    e->serial = take_next(serial_, turns_);
    e->state = (e->state & virt<K>::max_generation) | live_bit;
    return e;
  }
  virt<K> insert() noexcept {
    entry<K>* const e = insert_entry();
    if (e == nullptr) std::abort();
    return id_of(*e);
  }

  virt<K> id_of(const entry<K>& e) const noexcept { return virt<K>::make(e.index, e.state); }

  /// out: the entry, or nullptr for an id that is stale, foreign or of another kind       cost: O(1)
  entry<K>* find(virt<K> id) noexcept {
    if (!id.well_formed()) return nullptr;
    entry<K>* const e = entries_ + id.index();   // within the reservation by construction of index()
    return e->state == (id.generation() | live_bit) ? e : nullptr;
  }

  /// in: index  of an entry that was inserted
  entry<K>& at(std::uint32_t index) noexcept { return entries_[index]; }

  /// Gives the object an id that the program does not know; its former id becomes stale. The object's address stays the
  /// same.
  void make_stale(entry<K>& e) noexcept { e.state = ((e.state + 1) & virt<K>::max_generation) | live_bit; }

  /// Ends the id and advances its generation, so that the old id is recognised as stale.
  void erase(entry<K>& e) noexcept {
    e.what.~descriptor<K>();
    e.state = (e.state + 1) & virt<K>::max_generation;
    push_free(e);
  }
  void erase(virt<K> id) noexcept { if (entry<K>* e = find(id)) erase(*e); }

  /// Calls f(entry&) for every live entry, in order of index. f may erase its entry. Allocates nothing.
  template <class F>
  void for_each_unordered(F&& f) {
    const std::uint32_t n = std::min(used_.load(std::memory_order_acquire), capacity);
    for (std::uint32_t i = 0; i < n; ++i)
      if (entries_[i].state & live_bit) f(entries_[i]);
  }
  /// As above, in order of creation. Allocates: do not use it where a thread may be parked inside malloc.
  template <class F>
  void for_each(F&& f) {
    std::vector<entry<K>*> live;
    for_each_unordered([&](entry<K>& e) { live.push_back(&e); });
    std::sort(live.begin(), live.end(), [](auto* a, auto* b) { return a->serial < b->serial; });
    for (entry<K>* e : live) f(*e);
  }
  /// The id with this real handle. cost: O(live ids), so only for upcalls
  std::optional<virt<K>> find_real(mana::real<K> wanted) {
    std::optional<virt<K>> found;
    for_each_unordered([&](entry<K>& e) { if (e.real == wanted) found = id_of(e); });
    return found;
  }

 private:
  // Treiber stack. The low half is index + 1 of the first free entry. The high half is a tag that changes with every
  // pop, so that an entry that was popped and pushed again is not mistaken for the one that was read.
  entry<K>* pop_free() noexcept {
    std::uint64_t head = free_.load(std::memory_order_acquire);
    while (static_cast<std::uint32_t>(head) != 0) {
      entry<K>* const e = entries_ + (static_cast<std::uint32_t>(head) - 1);
      const std::uint64_t next = (((head >> 32) + 1) << 32) | e->next_free;
      if (replace(head, next)) return e;
    }
    return nullptr;
  }
  void push_free(entry<K>& e) noexcept {
    std::uint64_t head = free_.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
      e.next_free = static_cast<std::uint32_t>(head);
      next = (head & ~std::uint64_t{0xffff'ffff}) | (e.index + 1);
    } while (!replace(head, next));
  }
  bool replace(std::uint64_t& head, std::uint64_t next) noexcept {
    if (turns_ == turns::at_once) return free_.compare_exchange_weak(head, next, std::memory_order_acq_rel);
    free_.store(next, std::memory_order_relaxed);
    return true;
  }

  entry<K>* entries_ = nullptr;
  std::atomic<std::uint32_t> used_{0};
  std::atomic<std::uint64_t> free_{0};
  std::atomic<std::uint64_t> serial_{1};
  std::uint32_t limit_ = capacity;
  turns turns_ = turns::at_once;
};

/// The process's table of kind K. It lies in the wrapper library, so in the window: an image has it, and a restart
/// finds it unchanged.
template <class K>
inline id_table<K> the_table;
template <class K>
inline id_table<K>& table() noexcept { return the_table<K>; }

}  // namespace mana::vid
