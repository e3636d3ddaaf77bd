// The error of a descriptor that cannot be restored.
#pragma once
#include <stdexcept>
#include <string>

namespace mana::descriptors {

struct descriptor_error : std::runtime_error { using std::runtime_error::runtime_error; };

/// errors: descriptor_error naming `path`, with errno's text
[[noreturn]] void fail(const std::string& path, const char* what);

}  // namespace mana::descriptors
