#include <runtime/split/call/program_memory.hpp>

#include <runtime/split/window/live_threads.hpp>

#include <runtime/split/window/raw.hpp>

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>

namespace mana::split {
namespace {

/// Whether the kernel can read 8 bytes there. It reads them before it sees that the call's way to change a mask is
/// invalid.
bool is_readable(std::uintptr_t address) noexcept {
  constexpr long no_way = 77;
  const auto word = static_cast<long>(address & ~std::uintptr_t{7});
  const long same_page = word == 0 ? 8 : word;  // null is no mask
  return raw_call(SYS_rt_sigprocmask, no_way, same_page, 0, signal_set_bytes) != -EFAULT;
}

/// Whether the kernel can write there. It sets no bits in a word, atomically, and wakes no threads.
bool is_writable(std::uintptr_t address) noexcept {
  std::uint32_t unwaited = 0;
  constexpr long set_no_bits = static_cast<long>(FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0xfff));
  return raw_call(SYS_futex, as_word(&unwaited), FUTEX_WAKE_OP_PRIVATE, 0, 0,
                  static_cast<long>(address & ~std::uintptr_t{3}), set_no_bits) != -EFAULT;
}

/// The direction of the copy.
enum class direction { in, out };

/// A copy within one page of the program. The ends are addresses, since code here must not touch the program's end
/// directly.
struct transfer {
  direction to;
  std::uintptr_t ours, programs;
  std::size_t bytes;
};

void copy(const transfer& part) noexcept {
  void* const ours = reinterpret_cast<void*>(part.ours);
  void* const programs = reinterpret_cast<void*>(part.programs);
  if (part.to == direction::in) std::memcpy(ours, programs, part.bytes);
  else std::memcpy(programs, ours, part.bytes);
}

/// A test for writes of at least 8 bytes that nobody sees in between: the kernel writes the thread's signal mask there.
/// Takes a third of the time.
bool takes_a_mask(std::uintptr_t address) noexcept {
  return raw_call(SYS_rt_sigprocmask, 0, 0, static_cast<long>(address), signal_set_bytes) != -EFAULT;
}

bool can_be_touched(const transfer& part) noexcept {
  return part.to == direction::in ? is_readable(part.programs) : is_writable(part.programs);
}

/// Copies by the system call for another process's memory.
bool copied_as_anothers(const transfer& part) noexcept {
  const iovec ours{reinterpret_cast<void*>(part.ours), part.bytes};
  const iovec programs{reinterpret_cast<void*>(part.programs), part.bytes};
  const long number = part.to == direction::in ? SYS_process_vm_readv : SYS_process_vm_writev;
  return raw_call(number, raw_call(SYS_getpid), as_word(&ours), 1, as_word(&programs), 1, 0) ==
         static_cast<long>(part.bytes);
}

/// If no descriptor is free, the earlier test of the page must do.
bool copied_through_pipe(const transfer& part) noexcept {
  int ends[2];
  if (is_error(raw_call(SYS_pipe2, as_word(ends), O_CLOEXEC | O_NONBLOCK))) return copy(part), true;
  const bool in = part.to == direction::in;
  const auto bytes = static_cast<long>(part.bytes);
  const auto from = static_cast<long>(in ? part.programs : part.ours),
             to = static_cast<long>(in ? part.ours : part.programs);
  const bool done =
      raw_call(SYS_write, ends[1], from, bytes) == bytes && raw_call(SYS_read, ends[0], to, bytes) == bytes;
  raw_call(SYS_close, ends[0]);
  raw_call(SYS_close, ends[1]);
  return done;
}

bool copied(const transfer& part, bool is_quiet) noexcept {
  const bool takes = part.to == direction::out && part.bytes >= signal_set_bytes && part.programs != 0;
  if (is_quiet) return (takes ? takes_a_mask(part.programs) : can_be_touched(part)) && (copy(part), true);
  return copied_as_anothers(part) || (can_be_touched(part) && copied_through_pipe(part));
}

/// Copies page by page.     out: bytes that were copied
std::size_t copied_of(transfer all, bool is_quiet) noexcept {
  constexpr std::uintptr_t page_bytes = 4096;
  std::size_t done = 0;
  while (done < all.bytes) {
    const std::uintptr_t at = all.programs + done;
    const transfer part{all.to, all.ours + done, at,
                        std::min<std::size_t>(all.bytes - done, page_bytes - at % page_bytes)};
    if (!copied(part, is_quiet)) break;
    done += part.bytes;
  }
  return done;
}

}  // namespace

bool program_memory::is_sure(std::uintptr_t address, std::size_t bytes) const noexcept {
  return sure_page_ != 0 && bytes <= page_bytes && address >= sure_page_ && address - sure_page_ <= page_bytes - bytes;
}

/// No mapping can change meanwhile.
bool program_memory::is_quiet() const noexcept { return is_owners_ && has_one_thread(); }

std::size_t program_memory::read(void* to, std::uintptr_t from, std::size_t bytes) const noexcept {
  const transfer all{direction::in, reinterpret_cast<std::uintptr_t>(to), from, bytes};
  if (is_sure(from, bytes)) return copy(all), bytes;
  return copied_of(all, is_quiet());
}

std::size_t program_memory::write(std::uintptr_t to, const void* from, std::size_t bytes) const noexcept {
  const transfer all{direction::out, reinterpret_cast<std::uintptr_t>(from), to, bytes};
  if (is_sure(to, bytes)) return copy(all), bytes;
  return copied_of(all, is_quiet());
}

exchanged program_memory::exchange(std::uintptr_t word, std::uint32_t& seen, std::uint32_t wanted) const noexcept {
  if (!is_writable(word)) return exchanged::no_memory;
  const std::atomic_ref<std::uint32_t> there(*reinterpret_cast<std::uint32_t*>(word));
  return there.compare_exchange_strong(seen, wanted) ? exchanged::done : exchanged::differs;
}

long program_memory::read_text(char* to, std::uintptr_t from, std::size_t room) const noexcept {
  std::size_t length = 0;
  while (length < room) {
    const std::uintptr_t at = from + length;
    const std::size_t part = std::min<std::size_t>(room - length, page_bytes - at % page_bytes);
    if (read(to + length, at, part) != part) return -EFAULT;
    const std::size_t before_null = ::strnlen(to + length, part);
    length += before_null;
    if (before_null < part) break;
  }
  return static_cast<long>(length);
}

}  // namespace mana::split
