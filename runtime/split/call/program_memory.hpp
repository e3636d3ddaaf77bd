// Access to the program's memory from a trap, as the kernel has it in a system call.
//
// INV-72 a trap touches the program's memory through program_memory alone, which never faults.
// Because: all signals are blocked in a trap (INV-10), and a fault would end the process where the kernel says EFAULT.
// Checked: program_pointer has no way to its target but this; tests/structure/program_pointers.py looks for casts that
// would make another. tests/loader/programs/bad_pointers.c has each trapped call answer as natively.
//
// The ways to access a page, the cheapest first:
//   1. The page below the program's stack pointer needs no test: the kernel has just written the trap's frame into it.
//   2. If the program has one thread, nobody else can change mappings. A system call first touches the memory and does
//      nothing else, then comes the copy. The call takes 0.15 µs, or 0.5 µs to write less than 8 bytes; a trap takes
//      2.5 µs.
//   3. process_vm_readv and process_vm_writev copy and cannot fault (1.1 µs). A test alone would not do: another thread
//      may unmap the page before the copy.
//   4. A temporary pipe (5 µs). A container may refuse these two calls, and they cannot access devices' memory, or
//      memory that is only writable or only executable.
//
// A guarded copy, whose faults a handler of ours recognises, would cost nothing. But then SIGSEGV and SIGBUS would
// always be ours and never blocked. The traps would simulate the program's own handling of both signals for the
// program, its children, the MPI library and core files.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mana::split {

enum class exchanged { done, differs, no_memory };

/// The memory of one process, as one of its threads sees it.
class program_memory {
 public:
  static constexpr std::uintptr_t page_bytes = 4096;

  /// in: stack_pointer  of the program if a signal frame lies below its red zone; else 0
  ///     is_owners      this is the lower half's process, which knows how many threads the program has
  constexpr program_memory(std::uintptr_t stack_pointer, bool is_owners) noexcept
      : sure_page_(stack_pointer == 0 ? 0 : (stack_pointer - frame_end) & ~(page_bytes - 1)), is_owners_(is_owners) {}

  /// Copy in ascending order, up to the first inaccessible page.     out: bytes that were copied
  std::size_t read(void* to, std::uintptr_t from, std::size_t bytes) const noexcept;
  std::size_t write(std::uintptr_t to, const void* from, std::size_t bytes) const noexcept;

  /// Reads a text of the program with its null.
  /// out: its length; `room` if the first `room` bytes contain no null; -EFAULT if they cannot be read
  long read_text(char* to, std::uintptr_t from, std::size_t room) const noexcept;

  /// An atomic exchange in an aligned word. The kernel has no call for it, so the memory must stay mapped meanwhile, as
  /// that of a lock does while a thread holds it. in, out: seen  the expected value; the present value if it differs
  exchanged exchange(std::uintptr_t word, std::uint32_t& seen, std::uint32_t wanted) const noexcept;

 private:
  /// The kernel skips 128 bytes below the stack pointer, and fewer than 64 for alignment. The frame's last word is
  /// below.
  static constexpr std::uintptr_t frame_end = 128 + 64 + 4;

  bool is_sure(std::uintptr_t address, std::size_t bytes) const noexcept;
  bool is_quiet() const noexcept;

  std::uintptr_t sure_page_;
  bool is_owners_;
};

/// A pointer from the program. It may hold any value. If T is const, nothing is written through it.
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
  /// The same address with another type.
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
  /// Writes everything before the first page that is not writable.     out: 0 or -EFAULT
  long put(const value& from) const noexcept requires(!std::is_const_v<T>) { return put(&from, 1); }
  long put(const value* from, std::size_t count) const noexcept requires(!std::is_const_v<T>) {
    const std::size_t bytes = count * sizeof(T);
    return memory_->write(address_, from, bytes) == bytes ? 0 : -EFAULT;
  }
  /// Writes all or nothing, as the kernel's put_user.     out: 0 or -EFAULT
  long put_whole(const value& from) const noexcept requires(!std::is_const_v<T>) {
    const std::uintptr_t last = address_ + sizeof(T) - 1;
    char there = 0;
    const bool is_cut = last / program_memory::page_bytes != address_ / program_memory::page_bytes;
    if (is_cut && (memory_->read(&there, last, 1) != 1 || memory_->write(last, &there, 1) != 1)) return -EFAULT;
    return put(from);
  }
  /// Reads elements from number `first` on, up to an unreadable page.     out: number of elements
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

/// An address that no program can touch. The kernel answers a call with it as one with unmapped memory, after the
/// checks that it makes before.
inline constexpr long untouchable = -4096;

}  // namespace mana::split
