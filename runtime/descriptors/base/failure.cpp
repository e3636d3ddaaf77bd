#include <runtime/descriptors/base/failure.hpp>

#include <cerrno>
#include <cstring>

namespace mana::descriptors {

void fail(const std::string& path, const char* what) {
  throw descriptor_error(path + ": " + what + ": " + std::strerror(errno) +
                         "; the program had it open at the checkpoint");
}

}  // namespace mana::descriptors
