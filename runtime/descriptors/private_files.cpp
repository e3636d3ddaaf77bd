#include "private_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <map>

namespace mana::descriptors {

void warn_of_private_files(std::span<const private_mapping> mappings, std::span<const owned_descriptor> open, report& said) {
  std::map<file_key, std::string> files;
  for (const private_mapping& m : mappings) files.emplace(m.file, m.path);
  for (const owned_descriptor& d : open) {
    struct stat s{};
    const int flags = fcntl(d.number, F_GETFL);
    if (flags < 0 || (flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(d.number, &s) != 0) continue;
    const auto found = files.find(key_of(s));
    if (found == files.end()) continue;
    said.warn(found->second + " is mapped privately and open for writing: after a restart the mapping is a copy, in which "
              "what is written to the file does not show");
    files.erase(found);
  }
}

}  // namespace mana::descriptors
