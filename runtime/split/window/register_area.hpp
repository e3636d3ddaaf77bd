// Fits the floating-point and vector registers in a signal frame (the XSAVE area) to another processor, which may lay
// them out differently or have fewer. Layout: Intel SDM volume 1, chapter 13; the kernel's words in it:
// asm/sigcontext.h.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace mana::split {

/// The places of the register states that the kernel saves, in an area of the standard format.
struct register_layout {
  struct part { std::uint32_t offset, bytes; };
  std::uint64_t states = 0;        // bits of XCR0
  part parts[64] = {};             // of states from 2 on
};

register_layout layout_here() noexcept;

/// "XSAVE1", states, and a part for each existing state from 2 on; numbers are little endian.
std::vector<std::uint8_t> encode(const register_layout& layout);
/// errors: std::runtime_error if the bytes are no layout
register_layout decode_register_layout(std::span<const std::uint8_t> bytes);

enum class fitting {
  done,
  lost,         // registers are in use that this processor lacks
  no_room,      // the new area would be longer than the frame allows
};

/// Makes rt_sigreturn(2) on a processor of layout `now` load what was saved with layout `then`. Changes the area only
/// if the result is done.
/// in: area  as in uc_mcontext.fpregs; nullptr: there is none
fitting fit_registers(void* area, const register_layout& then, const register_layout& now);

}  // namespace mana::split
