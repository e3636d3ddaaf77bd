// Locks of the libc that runs here, as it leaves them.
#include <runtime/split/window/lock_owners.hpp>

#include <doctest/doctest.h>
#include <mana/lower/abi.hpp>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

namespace split_lock_owners_tests {

using mana::split::held_lock;
using mana::split::lock_finder;
using mana::split::renumber_locker;
using mana::split::renumber_waiter;

namespace {

struct mutex {
  mutex(int type, int protocol) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutex_init(&it, &attributes);
  }
  pthread_mutex_t it;
};

/// Memory with something before and behind what a test puts there.
struct memory {
  std::uint64_t before[8] = {};
  alignas(8) unsigned char room[4096] = {};
  std::uint64_t behind[8] = {};

  template <class T>
  void put(std::size_t at, const T& lock) { std::memcpy(room + at, &lock, sizeof lock); }
  mana::split::address_range all() const {
    const auto begin = reinterpret_cast<std::uintptr_t>(this);
    return {begin, begin + sizeof *this};
  }
  /// in: split   bytes after which the memory comes in a second part
  std::vector<held_lock> find(std::vector<std::int32_t> ids, std::size_t split = 1024) const {
    lock_finder finder(std::move(ids));
    const auto* const words = reinterpret_cast<const std::uint64_t*>(this);
    constexpr std::size_t n = sizeof(memory) / sizeof *words;
    finder.look({words, split / 8}, all());
    finder.look({words + split / 8, n - split / 8}, all());
    return finder.finish();
  }
  std::uintptr_t place(std::size_t at) const { return reinterpret_cast<std::uintptr_t>(room + at); }
};

}  // namespace

TEST_CASE("mutexes that check their owner are found while they are held") {
  const auto here = std::make_unique<memory>();
  mutex recursive(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE), checking(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
  mutex inheriting(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT), normal(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
  mutex free(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE);
  for (pthread_mutex_t* m : {&recursive.it, &recursive.it, &checking.it, &inheriting.it, &normal.it, &free.it})
    pthread_mutex_lock(m);
  pthread_mutex_unlock(&free.it);
  here->put(0, recursive.it), here->put(104, checking.it), here->put(208, inheriting.it), here->put(312, normal.it);
  here->put(416, free.it);
  const auto found = here->find({gettid()});
  REQUIRE(found.size() == 3);
  CHECK(found[0].address == here->place(0));
  CHECK(found[0].what == held_lock::kind::mutex);
  CHECK(found[0].owner == gettid());
  CHECK(found[1].address == here->place(104));
  CHECK(found[2].address == here->place(208));
  CHECK(found[2].what == held_lock::kind::inheriting_mutex);
  CHECK(here->find({gettid() + 1}).empty());
  CHECK(here->find({}).empty());
}

TEST_CASE("a read-write lock is found while it is held for writing") {
  const auto here = std::make_unique<memory>();
  pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, read = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&written), pthread_rwlock_rdlock(&read);
  here->put(8, written), here->put(512, read);
  const auto found = here->find({1, gettid(), 0x3fffffff});
  REQUIRE(found.size() == 1);
  CHECK(found[0].address == here->place(8));
  CHECK(found[0].what == held_lock::kind::write_lock);
}

TEST_CASE("a lock across two parts of the memory is found, one that leaves the mapping is none") {
  const auto here = std::make_unique<memory>();
  mutex recursive(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE);
  pthread_mutex_lock(&recursive.it);
  here->put(64, recursive.it);
  for (std::size_t split = 64; split <= 192; split += 8) CHECK(here->find({gettid()}, split).size() == 1);
  lock_finder finder({gettid()});
  const auto* const words = reinterpret_cast<const std::uint64_t*>(here->place(64));
  finder.look({words, 2}, {here->place(64), here->place(80)});
  CHECK(finder.finish().empty());
}

TEST_CASE("ids in other memory are left alone") {
  const auto here = std::make_unique<memory>();
  for (std::size_t at = 0; at + 4 <= sizeof here->room; at += 4) here->put(at, gettid());
  CHECK(here->find({gettid()}).empty());
}

TEST_CASE("a read-write lock of any kind is found while it is held for writing, whoever waits") {
  const auto here = std::make_unique<memory>();
  std::size_t at = 8;
  for (const int kind : {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP,
                         PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP})
    for (const int shared : {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED}) {
      pthread_rwlockattr_t attributes;
      pthread_rwlock_t lock;
      pthread_rwlockattr_init(&attributes);
      pthread_rwlockattr_setkind_np(&attributes, kind), pthread_rwlockattr_setpshared(&attributes, shared);
      pthread_rwlock_init(&lock, &attributes);
      pthread_rwlock_rdlock(&lock), pthread_rwlock_unlock(&lock);
      for (int round = 0; round < 2; ++round) {                 // from a read phase, and from a write phase
        pthread_rwlock_wrlock(&lock);
        std::thread reader([&] { pthread_rwlock_rdlock(&lock), pthread_rwlock_unlock(&lock); });
        std::thread writer([&] { pthread_rwlock_wrlock(&lock), pthread_rwlock_unlock(&lock); });
        here->put(at, lock);                                    // while they come to wait, or after that
        CHECK(here->find({1, gettid(), 0x3fffffff}).size() == at / 64 + 1);
        pthread_rwlock_unlock(&lock);
        reader.join(), writer.join();
      }
      at += 64;
    }
}

TEST_CASE("numbers and heads of malloc's blocks are no read-write locks") {
  const auto here = std::make_unique<memory>();
  const std::int32_t id = gettid();
  for (std::uint32_t number = 0; number < 256; ++number) {      // a block with a number, and one whose size looks like an id
    const std::uint32_t blocks[] = {number, 0, 0, 0, 0, 0, static_cast<std::uint32_t>(id), 0, 0, 0, 0, 0, 1, 0};
    here->put(64, blocks);
    CHECK(here->find({1, id, 0x3fffffff}).empty());
  }
}

TEST_CASE("what is no held lock is none with any word of it changed") {
  const auto here = std::make_unique<memory>();
  pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
  mutex checking(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
  pthread_rwlock_wrlock(&written), pthread_mutex_lock(&checking.it);
  const auto none_with_a_change = [&](const auto& lock, std::size_t but_word) {
    for (std::size_t word = 0; word < sizeof lock / 4; ++word) {
      if (word == but_word) continue;
      std::uint32_t words[sizeof lock / 4];
      std::memcpy(words, &lock, sizeof lock);
      words[word] ^= 0x40000400;
      here->put(64, words);
      CHECK_MESSAGE(here->find({1, gettid(), 0x3fffffff}).empty(), word);
    }
  };
  none_with_a_change(written, 13);                              // padding behind the flags
  none_with_a_change(checking.it, sizeof checking.it);
}

TEST_CASE("a section that names what is no lock changes nothing") {
  const auto here = std::make_unique<memory>();
  const std::uint32_t numbers[] = {3, 0, 0, 0, 0, 0, 661, 0, 0, 0, 0, 0, 0, 0};
  here->put(64, numbers);
  const held_lock named[] = {{here->place(64), held_lock::kind::write_lock, 661},
                             {here->place(80), held_lock::kind::mutex, 661}};
  const mana::split::thread_renumbering threads[] = {{661, 77}};
  renumber(named, threads);
  CHECK(std::memcmp(here->room + 64, numbers, sizeof numbers) == 0);
}

TEST_CASE("INV-30 a lock that is found gets its owner's new id") {
  const auto here = std::make_unique<memory>();
  mutex inheriting(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT);
  pthread_mutex_lock(&inheriting.it);
  here->put(0, inheriting.it);
  constexpr std::int32_t now = 77;
  const mana::split::thread_renumbering threads[] = {{gettid() + 1, 5}, {gettid(), now}};
  renumber(here->find({gettid(), gettid() + 1}), threads);
  const auto found = here->find({now});
  REQUIRE(found.size() == 1);
  CHECK(found[0].owner == now);
}

namespace {

using mana::split::lock_recorder;

/// What a recorder finds in a copy of the memory.
std::vector<lock_recorder::record> record(lock_recorder& recorder, const memory& here, std::size_t split) {
  const memory copy = here;
  const auto* const words = reinterpret_cast<const std::uint64_t*>(&copy);
  constexpr std::size_t n = sizeof(memory) / sizeof *words;
  const std::uintptr_t begin = here.all().begin;
  recorder.look({words, split / 8}, begin, here.all());
  recorder.look({words + split / 8, n - split / 8}, begin + split, here.all());
  return {recorder.found().begin(), recorder.found().end()};
}

}  // namespace

TEST_CASE("a checkpoint records the locks that a restart would find") {
  const auto here = std::make_unique<memory>();
  mutex recursive(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE), inheriting(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
  pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
  pthread_mutex_lock(&recursive.it), pthread_mutex_lock(&inheriting.it), pthread_rwlock_wrlock(&written);
  here->put(64, recursive.it), here->put(200, inheriting.it), here->put(400, written);
  for (std::size_t split = 64; split <= 512; split += 8) {
    lock_recorder recorder({gettid()});
    const auto records = record(recorder, *here, split);
    const auto found = here->find({gettid()});
    REQUIRE(records.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(records[i].address == found[i].address);
      CHECK(records[i].kind == static_cast<std::uint32_t>(found[i].what));
      CHECK(records[i].owner == gettid());
    }
  }
}

TEST_CASE("locks in pages that did not change are those of the image before, as far as they are held now") {
  const auto here = std::make_unique<memory>();
  mutex recursive(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE), freed(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE);
  pthread_mutex_lock(&recursive.it), pthread_mutex_lock(&freed.it);
  here->put(64, recursive.it), here->put(200, freed.it);
  lock_recorder before({gettid()});
  const auto records = record(before, *here, 64);
  REQUIRE(records.size() == 2);
  pthread_mutex_unlock(&freed.it);
  here->put(200, freed.it);
  lock_recorder now({gettid()});
  now.build_on(records);
  now.unchanged({0, here->all().begin});
  CHECK(now.found().empty());
  now.unchanged(here->all());
  REQUIRE(now.found().size() == 1);
  CHECK(now.found()[0].address == here->place(64));
}

TEST_CASE("more locks than a section holds are said not to be complete") {
  const auto here = std::make_unique<memory>();
  mutex recursive(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE);
  pthread_mutex_lock(&recursive.it);
  for (std::size_t at = 0; at + 48 <= sizeof here->room; at += 48) here->put(at, recursive.it);
  lock_recorder recorder({gettid()});
  for (int i = 0; i < 48; ++i) record(recorder, *here, 1024);
  CHECK(recorder.is_complete());
  CHECK(recorder.found().size() == 48 * 85);
  record(recorder, *here, 1024);
  CHECK_FALSE(recorder.is_complete());
  CHECK(recorder.found().size() == lock_recorder::capacity);
}

TEST_CASE("a section of locks that no recorder wrote is refused") {
  const lock_recorder::record good{4096, 1, 7}, bad{4096, 9, 7};
  const auto bytes = [](const lock_recorder::record& r) {
    return std::span(reinterpret_cast<const std::uint8_t*>(&r), sizeof r);
  };
  CHECK(mana::split::decode_locks(bytes(good)).size() == 1);
  CHECK_THROWS_AS(mana::split::decode_locks(bytes(bad)), std::runtime_error);
  CHECK_THROWS_AS(mana::split::decode_locks(bytes(good).first(15)), std::runtime_error);
}

namespace {

/// A thread that the park signal met in a wait at `address`, with its id in a register and on its stack.
struct waiter {
  alignas(16) std::int32_t stack[64] = {};
  unsigned char code[2] = {0x0f, 0x05};
  ucontext_t context{};

  explicit waiter(std::uintptr_t address, bool timed = false) {
    greg_t* const regs = context.uc_mcontext.gregs;
    regs[REG_RIP] = reinterpret_cast<greg_t>(code);
    regs[REG_RAX] = SYS_futex;
    regs[REG_RDI] = static_cast<greg_t>(address);
    regs[REG_R10] = timed ? reinterpret_cast<greg_t>(&code) : 0;
    regs[REG_RSP] = reinterpret_cast<greg_t>(stack);
    regs[REG_R12] = stack[7] = gettid();
  }
  bool has_new_id() const { return context.uc_mcontext.gregs[REG_R12] == 77 && stack[7] == 77; }
  bool has_old_id() const { return context.uc_mcontext.gregs[REG_R12] == gettid() && stack[7] == gettid(); }
};

}  // namespace

TEST_CASE("a thread that waits for a lock that checks its owner takes it by its new id") {
  mutex checking(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE), normal(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
  mutex inheriting(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
  for (mutex* m : {&checking, &normal, &inheriting}) pthread_mutex_lock(&m->it);
  const auto has_new_id = [](const mutex& m, bool timed) {
    waiter at(reinterpret_cast<std::uintptr_t>(&m.it), timed);
    renumber_waiter(&at.context, {gettid(), 77});
    CHECK((at.has_new_id() || at.has_old_id()));
    return at.has_new_id();
  };
  CHECK(has_new_id(checking, true));
  CHECK(has_new_id(inheriting, false));
  CHECK_FALSE(has_new_id(normal, true));
  CHECK_FALSE(has_new_id(checking, false));                     // its own frames have none, so that is the program's number
}

TEST_CASE("a wait that the stub makes for a thread has libc's frame behind the stub's") {
  mutex checking(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
  pthread_mutex_lock(&checking.it);
  void* const stub = reinterpret_cast<void*>(mana::lower::stub_address);
  REQUIRE(mmap(stub, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == stub);
  waiter at(reinterpret_cast<std::uintptr_t>(&checking.it), true);
  std::memcpy(stub, at.code, sizeof at.code);
  greg_t* const regs = at.context.uc_mcontext.gregs;
  regs[REG_RIP] = static_cast<greg_t>(mana::lower::stub_address + 2);
  regs[REG_RAX] = -EINTR;
  alignas(16) std::int32_t stack[128] = {};
  constexpr std::size_t stub_frame_bytes = 208;
  stack[stub_frame_bytes / sizeof *stack + 20] = gettid();
  regs[REG_RSP] = reinterpret_cast<greg_t>(stack);
  renumber_waiter(&at.context, {gettid(), 77});
  CHECK(stack[stub_frame_bytes / sizeof *stack + 20] == 77);
  munmap(stub, 4096);
}

TEST_CASE("a wait at the last word of a mapping is left alone") {
  constexpr std::size_t page = 4096;
  void* const mapped = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapped != MAP_FAILED);
  auto* const pages = static_cast<unsigned char*>(mapped);
  munmap(pages + page, page);
  waiter at_end(reinterpret_cast<std::uintptr_t>(pages + page - 4), true);
  renumber_waiter(&at_end.context, {gettid(), 77});
  CHECK(at_end.has_old_id());
  munmap(pages, page);
}

namespace {

constexpr std::int64_t id_offset = 0x2d0;

/// A thread in the middle of a function: code of it is some bytes behind `mov %fs:0x2d0,%esi`, or what stands there instead.
struct in_function {
  unsigned char code[4096] = {};
  ucontext_t context{};

  explicit in_function(std::size_t bytes_behind, unsigned char displacement = 0xd0) {
    const unsigned char ask[] = {0x64, 0x8b, 0x34, 0x25, displacement, 0x02, 0x00, 0x00};
    std::memcpy(code + 2048, ask, sizeof ask);
    context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(code + 2048 + sizeof ask + bytes_behind);
    context.uc_mcontext.gregs[REG_RSI] = gettid();
  }
  greg_t id() {
    renumber_locker(&context, {gettid(), 77}, id_offset);
    return context.uc_mcontext.gregs[REG_RSI];
  }
};

}  // namespace

TEST_CASE("INV-30 a thread in the middle of taking a lock, with its id in a register, takes it by its new id") {
  CHECK(std::make_unique<in_function>(0)->id() == 77);
  CHECK(std::make_unique<in_function>(700)->id() == 77);
  CHECK(std::make_unique<in_function>(0, 0x28)->id() == gettid());        // another word of the thread: a stack's canary
  in_function wide(0);
  const unsigned char ask[] = {0x64, 0x44, 0x8b, 0x04, 0x25, 0xd0, 0x02, 0x00, 0x00};      // %r8d
  std::memcpy(wide.code + 2047, ask, sizeof ask);
  CHECK(wide.id() == 77);
}

TEST_CASE("INV-30 a mutex that is neither free nor held yet gets its owner's new id") {
  for (const int type : {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_NORMAL}) {
    mutex one(type, PTHREAD_PRIO_NONE);
    one.it.__data.__lock = 1;
    one.it.__data.__owner = gettid();
    in_function at(30);
    at.context.uc_mcontext.gregs[REG_RDI] = reinterpret_cast<greg_t>(&one.it);
    at.id();
    CHECK(one.it.__data.__owner == (type == PTHREAD_MUTEX_RECURSIVE ? 77 : gettid()));
  }
}

}  // namespace split_lock_owners_tests
