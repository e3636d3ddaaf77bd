// The MPI objects that the program holds at a checkpoint, as numbers in bridge::inventory. The upper half counts them;
// the lower half writes them into the image for people.
#pragma once
#include <mana/lower/abi.hpp>

#include <array>

namespace mana::lower {

enum class counted : unsigned {
  communicators, groups, datatypes, operations, error_handlers, infos, requests, messages, sessions,
  tools_handles, inbox_messages, inbox_bytes, windows,
};

inline constexpr std::array inventory_names{
    "communicators", "groups", "datatypes", "operations", "error handlers", "infos", "requests", "matched messages",
    "sessions", "tools handles", "messages in the inbox", "bytes in the inbox", "windows"};
static_assert(inventory_names.size() == static_cast<unsigned>(counted::windows) + 1);
static_assert(inventory_names.size() <= inventory_limit);

}  // namespace mana::lower
