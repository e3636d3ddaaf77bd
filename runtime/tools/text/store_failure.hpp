// Turns an error of the store of checkpoints into the command's.
#pragma once
#include <runtime/words/exit_status.hpp>

#include <runtime/store/store.hpp>

namespace mana::tools {

/// The remedy for a missing file to which images refer.
inline constexpr char map_remedy[] = "put it back, or say where it is now: --map OLD=NEW";

exit_status code_of(store::error_kind kind) noexcept;
/// errors: failure, always
[[noreturn]] void fail_with(const store::store_error& error);

}  // namespace mana::tools
