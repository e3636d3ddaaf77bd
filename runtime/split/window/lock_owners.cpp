#include <runtime/split/window/lock_owners.hpp>

#include <arch/registers.hpp>

#include <runtime/split/window/layout.h>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace mana::split {
namespace {

struct mutex_layout {
  std::uint32_t lock;
  std::uint32_t count;      // of a recursive one
  std::int32_t owner;
  std::uint32_t users;
  std::int32_t kind;
  std::int16_t spins, elision;
  std::uint64_t previous, next;   // of robust ones
};
static_assert(offsetof(mutex_layout, owner) == 8 && sizeof(mutex_layout) == 40);

struct rwlock_layout {
  std::uint32_t readers, writers, write_phase, writers_wait, unused[2];
  std::int32_t writer;
  std::int32_t shared;
  std::int8_t elision;
  std::uint8_t padding[7];
  std::uint64_t more_padding;
  std::uint32_t flags;
};
static_assert(offsetof(rwlock_layout, writer) == 24 && offsetof(rwlock_layout, flags) == 48);

constexpr std::int32_t type_bits = 3, recursive = 1, error_checking = 2, robust = 16, inheriting = 32;
constexpr std::int32_t elision_bits = 256 | 512;    // with elision, or without
constexpr std::int32_t known_bits =
    type_bits | inheriting | 64 /* protected */ | 128 /* shared between processes */ | elision_bits;
constexpr std::size_t reach_behind = sizeof(rwlock_layout) - offsetof(rwlock_layout, writer);    // from the owner on
static_assert(reach_behind == sizeof(mutex_layout) - offsetof(mutex_layout, owner));

template <class Layout>
Layout at(std::uintptr_t address) noexcept {
  Layout copy;
  std::memcpy(&copy, reinterpret_cast<const void*>(address), sizeof copy);
  return copy;
}

bool is_held_mutex(const mutex_layout& m) noexcept {
  if ((m.kind & ~known_bits) != 0 || m.users != 1 || m.spins != 0 || m.elision != 0) return false;
  if (m.previous != 0 || m.next != 0) return false;
  const std::int32_t type = m.kind & type_bits;
  const bool inherits = (m.kind & inheriting) != 0;                     // these set the count even where they need not
  if (type == recursive ? m.count == 0 : m.count > (inherits ? 1 : 0)) return false;
  if (inherits) return (m.lock & FUTEX_TID_MASK) == static_cast<std::uint32_t>(m.owner);
  if ((m.kind & elision_bits) != 0) return false;                       // these bits are of normal mutexes
  return (type == recursive || type == error_checking) && (m.lock == 1 || m.lock == 2);
}

/// Whether the mutex is of a kind that checks its owner, and held, or left by an owner that ended.
bool is_waited_for(const mutex_layout& m) noexcept {
  if ((m.kind & ~(known_bits | robust)) != 0 || m.lock == 0) return false;
  const std::int32_t type = m.kind & type_bits;
  return type == recursive || type == error_checking || (m.kind & (robust | inheriting)) != 0;
}

/// Whether all conditions of glibc for a lock held by a writer are met (nptl/pthread_rwlock_common.c, its table of
/// states 7 and 8). The writer's id is in the lock only while both futex words are 1, with another bit if a thread
/// waits. Readers that wait for a preferred writer set no bit in the write phase. Waiting writers are counted if
/// writers are preferred.
/// in: threads  of the program. Only they can wait, unless processes share the lock
bool is_write_locked(const rwlock_layout& l, std::size_t threads) noexcept {
  constexpr std::uint32_t state_bits = 7, held_for_writing = 3;       // in the write phase, and locked for it
  constexpr std::uint32_t reader_shift = 3, futex_used = 2;
  constexpr std::uint32_t prefers_readers = 0, handed_over = 1u << 31;
  const auto is_one = [](std::uint32_t futex) { return (futex | futex_used) == (1 | futex_used); };
  if ((l.readers & state_bits) != held_for_writing || !is_one(l.write_phase) || !is_one(l.writers_wait)) return false;
  if (l.unused[0] != 0 || l.unused[1] != 0 || l.elision != 0 || l.more_padding != 0) return false;
  if (std::any_of(std::begin(l.padding), std::end(l.padding), [](std::uint8_t byte) { return byte != 0; })) return false;
  if ((l.shared != 0 && l.shared != 1) || l.flags > 2) return false;
  if (l.flags == prefers_readers ? l.writers != 0 : (l.writers & handed_over) != 0) return false;
  return l.shared == 1 || ((l.readers >> reader_shift) < threads && l.writers < threads);
}

/// Reads any memory: a thread may wait at any address, even at the last word before unmapped memory.
class own_memory {
 public:
  own_memory() noexcept : fd_(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}
  ~own_memory() { close(fd_); }
  own_memory(const own_memory&) = delete;
  own_memory& operator=(const own_memory&) = delete;
  /// out: false if not all of the memory is readable
  bool read(std::uintptr_t address, void* into, std::size_t bytes) const noexcept {
    return pread(fd_, into, bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(bytes);
  }

 private:
  int fd_;
};

/// libc keeps the id in a variable while it waits with a time limit, and for robust and inheriting mutexes. Otherwise
/// it asks for the id once it has the mutex (nptl/pthread_mutex_lock.c, "Record the ownership"). An equal value in
/// registers is then a number of the program's.
bool keeps_id(const mutex_layout& m, const arch::register_word* regs) noexcept {
  return (m.kind & (robust | inheriting)) != 0 || regs[arch::argument[3]] != 0;
}

/// The address at which a thread waits by futex(2); 0: it does not. Such a call will be made again, or has ended with
/// EINTR.
std::uintptr_t waits_at(const arch::register_word* regs) noexcept {
  const auto* const code = reinterpret_cast<const unsigned char*>(regs[arch::instruction]);
  const bool again = regs[arch::result] == SYS_futex && arch::is_call(code);
  const bool ended = regs[arch::result] == -EINTR && arch::is_call(code - arch::call_bytes);
  return again || ended ? static_cast<std::uintptr_t>(regs[arch::argument[0]]) : 0;
}

template <class T>
std::atomic<T>& word_at(std::uintptr_t address) noexcept { return *reinterpret_cast<std::atomic<T>*>(address); }

/// Words whose lower half lies between the least and the greatest id. Memory rarely has one, so the test takes whole
/// blocks.
class near_ids {
 public:
  static constexpr std::size_t block = 64;      // words

  near_ids(std::int32_t least, std::int32_t greatest) noexcept
      : least_(static_cast<std::uint32_t>(least)), span_(static_cast<std::uint32_t>(greatest) - least_) {}
  bool has(std::uint64_t word) const noexcept { return static_cast<std::uint32_t>(word) - least_ <= span_; }

  /// Tests four halves at a time. The processor compares signed numbers: both sides are moved by half the range.
  bool any_in(const std::uint64_t* words) const noexcept {
    constexpr std::uint32_t half = std::uint32_t{1} << 31;
    const std::uint32_t offset = least_ + half;
    const auto limit = static_cast<std::int32_t>(span_ ^ half);
    halves any{};
    for (std::size_t i = 0; i < block; i += 2) {
      halves four;
      std::memcpy(&four, words + i, sizeof four);
      any |= reinterpret_cast<signed_halves>(four - offset) <= limit;
    }
    return (any[0] | any[2]) != 0;
  }

 private:
  using halves [[gnu::vector_size(16)]] = std::uint32_t;
  using signed_halves [[gnu::vector_size(16)]] = std::int32_t;
  std::uint32_t least_, span_;
};

/// The held lock whose owner is the word at `word`, if it is one.
/// in: read  (address, into, bytes) → whether those bytes could be read
template <class Read>
std::optional<held_lock> lock_around(std::uintptr_t word, address_range mapping, const std::vector<std::int32_t>& ids,
                                     Read&& read) {
  std::int32_t owner = 0;
  if (!read(word, &owner, sizeof owner) || !std::binary_search(ids.begin(), ids.end(), owner)) return std::nullopt;
  const std::uintptr_t mutex = word - offsetof(mutex_layout, owner), lock = word - offsetof(rwlock_layout, writer);
  if (mutex < mapping.begin || word + reach_behind > mapping.end) return std::nullopt;
  mutex_layout m;
  if (read(mutex, &m, sizeof m) && is_held_mutex(m)) {
    const bool inherits = (m.kind & inheriting) != 0;
    return held_lock{mutex, inherits ? held_lock::kind::inheriting_mutex : held_lock::kind::mutex, owner};
  }
  rwlock_layout l;
  if (lock >= mapping.begin && read(lock, &l, sizeof l) && is_write_locked(l, ids.size()))
    return held_lock{lock, held_lock::kind::write_lock, owner};
  return std::nullopt;
}

/// Calls found(index) for each word of `memory` that may be an owner.
template <class Found>
void each_near(std::span<const std::uint64_t> memory, const std::vector<std::int32_t>& ids, Found&& found) {
  if (ids.empty()) return;
  const near_ids near(ids.front(), ids.back());
  for (std::size_t from = 0; from < memory.size(); from += near_ids::block) {
    const std::size_t to = std::min(memory.size(), from + near_ids::block);
    if (to - from == near_ids::block && !near.any_in(&memory[from])) continue;
    for (std::size_t i = from; i < to; ++i)
      if (near.has(memory[i])) found(i);
  }
}

std::uintptr_t owner_word(const held_lock& l) noexcept {
  return l.address +
         (l.what == held_lock::kind::write_lock ? offsetof(rwlock_layout, writer) : offsetof(mutex_layout, owner));
}

/// An image of an earlier version may list memory that only looked like a lock.
bool is_held(const held_lock& l, std::size_t threads) noexcept {
  return l.what == held_lock::kind::write_lock ? is_write_locked(at<rwlock_layout>(l.address), threads)
                                               : is_held_mutex(at<mutex_layout>(l.address));
}

}  // namespace

lock_finder::lock_finder(std::vector<std::int32_t> ids) : ids_(std::move(ids)) { std::sort(ids_.begin(), ids_.end()); }

void lock_finder::look(std::span<const std::uint64_t> memory, address_range mapping) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t end = begin + memory.size_bytes();
  each_near(memory, ids_, [&](std::size_t i) {
    const std::uintptr_t word = begin + i * sizeof(std::uint64_t);
    if (word + reach_behind <= end) try_word({word, mapping});
    else if (word + reach_behind <= mapping.end) later_.push_back({word, mapping});
  });
}

void lock_finder::try_word(const candidate& c) {
  const auto in_place = [](std::uintptr_t address, void* into, std::size_t bytes) {
    std::memcpy(into, reinterpret_cast<const void*>(address), bytes);
    return true;
  };
  if (const auto lock = lock_around(c.word, c.mapping, ids_, in_place)) found_.push_back(*lock);
}

std::vector<held_lock> lock_finder::finish() {
  for (const candidate& c : later_) try_word(c);
  later_.clear();
  return std::move(found_);
}

lock_recorder::lock_recorder(std::vector<std::int32_t> ids) : ids_(std::move(ids)), found_(capacity) {
  std::sort(ids_.begin(), ids_.end());
}

void lock_recorder::build_on(std::vector<record> earlier) { earlier_ = std::move(earlier); }

template <class Read>
void lock_recorder::try_word(std::uintptr_t word, address_range mapping, Read&& read) noexcept {
  const auto lock = lock_around(word, mapping, ids_, read);
  if (!lock) return;
  if (count_ < capacity) found_[count_] = {lock->address, static_cast<std::uint32_t>(lock->what), lock->owner};
  ++count_;
}

void lock_recorder::look(std::span<const std::uint64_t> copy, std::uintptr_t address, address_range mapping) noexcept {
  const std::uintptr_t end = address + copy.size_bytes();
  const auto read = [&](std::uintptr_t from, void* into, std::size_t bytes) {
    if (from < address || from + bytes > end) return own_memory().read(from, into, bytes);
    std::memcpy(into, reinterpret_cast<const char*>(copy.data()) + (from - address), bytes);
    return true;
  };
  each_near(copy, ids_, [&](std::size_t i) { try_word(address + i * sizeof(std::uint64_t), mapping, read); });
}

void lock_recorder::unchanged(address_range memory) noexcept {
  const auto read = [](std::uintptr_t from, void* into, std::size_t bytes) {
    return own_memory().read(from, into, bytes);
  };
  for (const record& r : earlier_) {
    const held_lock lock{r.address, static_cast<held_lock::kind>(r.kind), r.owner};
    const std::uintptr_t word = owner_word(lock);
    if (memory.begin <= word && word < memory.end) try_word(word, {0, ~std::uintptr_t{0}}, read);
  }
}

std::vector<held_lock> decode_locks(std::span<const std::uint8_t> section) {
  std::vector<held_lock> locks;
  if (section.size() % sizeof(lock_recorder::record) != 0) throw std::runtime_error("the section \"locks\" is cut off");
  for (std::size_t at = 0; at < section.size(); at += sizeof(lock_recorder::record)) {
    lock_recorder::record r;
    std::memcpy(&r, section.data() + at, sizeof r);
    if (r.kind > static_cast<std::uint32_t>(held_lock::kind::write_lock))
      throw std::runtime_error("the section \"locks\" names a kind of lock that there is not");
    locks.push_back({r.address, static_cast<held_lock::kind>(r.kind), r.owner});
  }
  return locks;
}

void renumber(std::span<const held_lock> locks, std::span<const thread_renumbering> threads) noexcept {
  for (const held_lock& l : locks) {
    const auto thread =
        std::find_if(threads.begin(), threads.end(), [&](const thread_renumbering& t) { return t.before == l.owner; });
    if (thread == threads.end() || !is_held(l, threads.size())) continue;
    word_at<std::int32_t>(owner_word(l)).store(thread->now);
    if (l.what != held_lock::kind::inheriting_mutex) continue;
    auto& futex = word_at<std::uint32_t>(l.address);     // the kernel finds the owner by it
    futex.store((futex.load() & ~std::uint32_t{FUTEX_TID_MASK}) | static_cast<std::uint32_t>(thread->now));
  }
}

void renumber_waiter(ucontext_t* interrupted, const thread_renumbering& thread) noexcept {
  if (interrupted == nullptr) return;
  arch::register_word* const regs = arch::registers(*interrupted);
  const own_memory memory;
  mutex_layout mutex;
  if (!memory.read(waits_at(regs), &mutex, sizeof mutex) || !is_waited_for(mutex) || !keeps_id(mutex, regs)) return;
  for (const int r : arch::free_in_futex)
    if (regs[r] == thread.before) regs[r] = thread.now;
  const auto stack = static_cast<std::uintptr_t>(regs[arch::stack]), code = static_cast<std::uintptr_t>(regs[arch::instruction]);
  const bool in_stub = code >= lower::stub_address && code < lower::program_zone;
  constexpr std::uintptr_t libc_bytes = 192;       // of libc's function, with its saved registers
  const std::uintptr_t frame_bytes = libc_bytes + (in_stub ? STUB_CALL_BYTES : 0);
  for (std::uintptr_t word = stack; word < stack + frame_bytes; word += sizeof(std::int32_t)) {
    std::int32_t held = 0;
    if (!memory.read(word, &held, sizeof held)) return;          // the end of the stack
    if (held == thread.before) word_at<std::int32_t>(word).store(thread.now);
  }
}

namespace {

/// Whether the code around `code` has an instruction that names the thread's word at `offset`. libc has such an
/// instruction where it asks for the thread's id. Each of its locks has one within some hundred bytes. Other code has
/// no reason to know that word.
bool is_where_ids_are_asked_for(const own_memory& memory, std::uintptr_t code, std::int64_t offset) noexcept {
  constexpr std::uintptr_t around = 1536, step = 256, most = arch::most_thread_word_bytes;
  const auto displacement = static_cast<std::int32_t>(offset);
  for (std::uintptr_t begin = code - around; begin < code + around; begin += step) {
    unsigned char bytes[step + most];
    if (!memory.read(begin, bytes, sizeof bytes)) continue;             // unmapped
    for (std::size_t i = 0; i < step; ++i)
      if (arch::names_thread_word(bytes + i, displacement)) return true;
  }
  return false;
}

/// Whether the mutex is of a kind that checks its owner by the word alone. Mutexes that the kernel knows are renumbered
/// with its lists.
bool checks_owner(const mutex_layout& m) noexcept {
  const std::int32_t type = m.kind & type_bits;
  return (m.kind & ~known_bits) == 0 && (m.kind & inheriting) == 0 && (type == recursive || type == error_checking);
}

}  // namespace

void renumber_locker(ucontext_t* interrupted, const thread_renumbering& thread, std::int64_t id_offset) noexcept {
  if (interrupted == nullptr) return;
  arch::register_word* const regs = arch::registers(*interrupted);
  const own_memory memory;
  if (!is_where_ids_are_asked_for(memory, static_cast<std::uintptr_t>(regs[arch::instruction]), id_offset)) return;
  for (const int r : arch::general) {
    mutex_layout mutex;
    const auto address = static_cast<std::uintptr_t>(regs[r]);
    if (regs[r] == thread.before) regs[r] = thread.now;
    else if (memory.read(address, &mutex, sizeof mutex) && mutex.owner == thread.before && checks_owner(mutex))
      word_at<std::int32_t>(address + offsetof(mutex_layout, owner)).store(thread.now);
  }
}

}  // namespace mana::split
