// The program's memory as a trap touches it: as the kernel does in a system call.
//
// INV-72 a trap touches the program's memory through program_memory alone, which never faults.
// Because: all signals are blocked in a trap (INV-10), and a fault would end the process where the kernel says EFAULT.
// Checked: program_pointer has no way to its target but this; tests/structure/program_pointers.py looks for casts that
// would make another. tests/loader/programs/bad_pointers.c has each trapped call answer as natively.
//
// How a page is asked for, the cheapest way first:
//   1. The page below the program's stack pointer: the kernel has just written the trap's frame into it.
//   2. Nobody else can change mappings, as the program has one thread: a system call that touches the memory and does
//      nothing else (0.15 µs, for less than 8 bytes to be written 0.5; a trap takes 2.5), then the copy.
//   3. process_vm_readv and process_vm_writev, which copy and cannot fault (1.1 µs). A probe alone would not do:
//      another thread may unmap the page before the copy.
//   4. A pipe of the moment, where a container refuses these, or memory is of a kind that they do not take: what is
//      mapped for writing or executing alone, and devices' (5 µs).
// A guarded copy, whose faults a handler of ours recognises, would cost nothing. But SIGSEGV and SIGBUS would have to
// be ours at all times and never be blocked, and what the program, its children, the MPI library and a core file are
// to find in their place would have to be played to each of them.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mana::split {

enum class exchanged { done, differs, no_memory };

/// Of one process, as one thread of it finds it.
class program_memory {
 public:
  static constexpr std::uintptr_t page_bytes = 4096;

  /// in: stack_pointer  of the program where a signal frame lies below its red zone; 0: there is none
  ///     is_owners      of the process that the lower half lives in, which knows how many threads the program has
  constexpr program_memory(std::uintptr_t stack_pointer, bool is_owners) noexcept
      : sure_page_(stack_pointer == 0 ? 0 : (stack_pointer - frame_end) & ~(page_bytes - 1)), is_owners_(is_owners) {}

  /// Copies in the order of addresses, up to the first page that cannot be touched.     out: bytes that were copied
  std::size_t read(void* to, std::uintptr_t from, std::size_t bytes) const noexcept;
  std::size_t write(std::uintptr_t to, const void* from, std::size_t bytes) const noexcept;

  /// A text of the program with its null.
  /// out: its length; `room` if the first `room` bytes contain no null; -EFAULT if they cannot be read
  long read_text(char* to, std::uintptr_t from, std::size_t room) const noexcept;

  /// Atomically, in an aligned word. The kernel has no call for it: the memory must stay as it is meanwhile, as that of
  /// a lock does while a thread holds it. inout: seen  what must be there; what is there, if it differs
  exchanged exchange(std::uintptr_t word, std::uint32_t& seen, std::uint32_t wanted) const noexcept;

 private:
  /// The kernel leaves 128 bytes below the stack pointer alone, and less than 64 for alignment; its last word is below.
  static constexpr std::uintptr_t frame_end = 128 + 64 + 4;

  bool is_sure(std::uintptr_t address, std::size_t bytes) const noexcept;
  bool is_quiet() const noexcept;

  std::uintptr_t sure_page_;
  bool is_owners_;
};

/// A pointer of the program, which may name anything. T may be const: then nothing is written there.
template <class T>
class program_pointer {
  static_assert(std::is_trivially_copyable_v<T>);
  using value = std::remove_const_t<T>;

 public:
  constexpr program_pointer(const program_memory& memory, std::uintptr_t address) noexcept
      : memory_(&memory), address_(address) {}

  constexpr bool is_null() const noexcept { return address_ == 0; }
  constexpr std::uintptr_t address() const noexcept { return address_; }
  constexpr program_pointer operator+(std::size_t n) const noexcept { return {*memory_, address_ + n * sizeof(T)}; }
  /// The same place as another type.
  template <class U>
  constexpr program_pointer<U> as() const noexcept {
    return {*memory_, address_};
  }

  /// out: 0 or -EFAULT
  long get(value& to) const noexcept { return get(&to, 1); }
  long get(value* to, std::size_t count) const noexcept {
    const std::size_t bytes = count * sizeof(T);
    return memory_->read(to, address_, bytes) == bytes ? 0 : -EFAULT;
  }
  /// What comes before a page that cannot be written is written.     out: 0 or -EFAULT
  long put(const value& from) const noexcept requires(!std::is_const_v<T>) { return put(&from, 1); }
  long put(const value* from, std::size_t count) const noexcept requires(!std::is_const_v<T>) {
    const std::size_t bytes = count * sizeof(T);
    return memory_->write(address_, from, bytes) == bytes ? 0 : -EFAULT;
  }
  /// All of it or nothing, as the kernel's put_user.     out: 0 or -EFAULT
  long put_whole(const value& from) const noexcept requires(!std::is_const_v<T>) {
    const std::uintptr_t last = address_ + sizeof(T) - 1;
    char there = 0;
    const bool is_cut = last / program_memory::page_bytes != address_ / program_memory::page_bytes;
    if (is_cut && (memory_->read(&there, last, 1) != 1 || memory_->write(last, &there, 1) != 1)) return -EFAULT;
    return put(from);
  }
  /// Elements from the one numbered `first` on, up to a page that cannot be read.     out: their number
  std::size_t get_some(value* to, std::size_t first, std::size_t count) const noexcept {
    return memory_->read(to, address_ + first * sizeof(T), count * sizeof(T)) / sizeof(T);
  }
  /// As program_memory::read_text().
  long get_text(char* to, std::size_t room) const noexcept requires(sizeof(T) == 1) {
    return memory_->read_text(to, address_, room);
  }

 private:
  const program_memory* memory_;
  std::uintptr_t address_;
};

/// An address that no program can touch: the kernel answers a call with it as one whose memory is not there, and what
/// it checks first, it says first.
inline constexpr long untouchable = -4096;

}  // namespace mana::split
