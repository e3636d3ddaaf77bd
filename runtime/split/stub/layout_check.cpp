// This file contains no code. Compiling it checks the stub's assembly constants against the frozen layouts.
#include <runtime/split/window/layout.h>

#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

namespace mana::split {

static_assert(offsetof(lower::bridge, vdso) == STUB_VDSO_TABLE_OFFSET);
static_assert(lower::bridge_address + STUB_VDSO_TABLE_OFFSET == STUB_VDSO_TABLE);
static_assert(offsetof(lower::thread_block, vdso_frame) == STUB_GS_VDSO_FRAME);
static_assert(sizeof(lower::bridge::vdso) / sizeof(std::uint64_t) > STUB_VDSO_END_SLOT);
static_assert(STUB_CALL_R10 + 8 <= STUB_CALL_RING && STUB_CALL_RING + 32 + 128 == STUB_CALL_BYTES);
static_assert(STUB_WAIT_LEFT + 8 + 128 == STUB_WAIT_BYTES);
static_assert(1'000'000'000 <= 1 << STUB_WAIT_SECONDS_SHIFT);

}  // namespace mana::split
