#include <runtime/store/nodes/local_failure.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/store/failure_text.hpp>
#include <runtime/store/store_paths.hpp>

#include <cstdio>
#include <exception>

namespace mana::store {

std::string local_failure_name(std::uint32_t rank) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%05u.failed", rank);
  return name;
}

std::optional<std::string> local_failure_of(const files::own_directory& own, std::uint32_t rank) {
  return read_failure(own, local_failure_name(rank));
}

void mark_local_failed(const std::string& directory, std::uint64_t generation, std::uint32_t rank,
                       const std::string& why) noexcept {
  try {
    write_failure(files::own_directory::open((tidy(directory) / image::generation_name(generation)).string()),
                  local_failure_name(rank), why);
  } catch (const std::exception&) {
  }
}

}  // namespace mana::store
