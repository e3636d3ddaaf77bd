#include <arch/x86_64/stub_call.hpp>

#include <cstring>

namespace mana::split {
namespace {

constexpr std::size_t software_bytes_offset = 464, basic_bytes = 512;
constexpr std::size_t most_bytes = 16384;             // AMX's are 11 KiB
constexpr std::size_t alignment = 64;                 // of XRSTOR

/// From asm/sigcontext.h.
struct software_bytes {
  std::uint32_t magic, all_bytes;       // with the mark at the end
  std::uint64_t states;
};
constexpr std::uint32_t magic = 0x46505853;           // FP_XSTATE_MAGIC1

}  // namespace

/// The stub's frame will overwrite the end of the kernel's frame. Without the mark there the kernel would load only the
/// basic registers, and reset the others.
void move_registers(ucontext_t& context) noexcept {
  alignas(alignment) static thread_local std::byte copy[most_bytes];
  auto* const area = reinterpret_cast<const std::byte*>(context.uc_mcontext.fpregs);
  if (area == nullptr) return;
  software_bytes has;
  std::memcpy(&has, area + software_bytes_offset, sizeof has);
  const std::size_t bytes = has.magic == magic ? has.all_bytes : basic_bytes;
  if (bytes > most_bytes) return;
  std::memcpy(copy, area, bytes);
  context.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(copy);
}

}  // namespace mana::split
