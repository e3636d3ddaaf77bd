#include <runtime/tools/mpi/library_closure.hpp>

#include <arch/elf.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

namespace mana::tools {
namespace {

// glibc's sysdeps/generic/dl-cache.h, struct cache_file_new and file_entry_new.
struct cache_header {
  char magic[20];
  std::uint32_t count, strings_bytes;
  std::uint8_t flags, padding[3];
  std::uint32_t extension_offset, unused[3];
};
struct cache_entry {
  std::int32_t flags;
  std::uint32_t name, file, os_version;
  std::uint64_t hardware;
};
static_assert(sizeof(cache_header) == 48 && sizeof(cache_entry) == 24);
constexpr char cache_magic[] = "glibc-ld.so.cache1.1";

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find_first_of(":;", begin), list.size());
    parts.push_back(end == begin ? "." : list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// out: nothing if `path` is no loadable library. Like ld.so, the search continues after files of another architecture.
std::optional<elf_program> usable(const std::filesystem::path& path) {
  try {
    auto library = read_elf_program(path);
    if (library.form == file_form::shared_object || library.form == file_form::dynamic_program ||
        library.form == file_form::static_program)
      return library;
  } catch (const std::system_error&) {
  }
  return std::nullopt;
}

struct found {
  std::filesystem::path file;
  elf_program library;
};

/// Searches the directories in ld.so's order; the cache comes between the two lists.
std::optional<found> find_library(const std::string& name, const elf_program& from, const elf_program& program,
                                  const library_cache& cache, const std::string& library_path) {
  std::vector<std::string> first;
  if (from.runpath.empty()) {
    first = from.rpath;
    first.insert(first.end(), program.rpath.begin(), program.rpath.end());
  }
  for (auto& directory : split(library_path)) first.push_back(std::move(directory));
  first.insert(first.end(), from.runpath.begin(), from.runpath.end());
  if (name.find('/') != std::string::npos) first = {""};
  for (const auto& directory : first)
    if (auto library = usable(std::filesystem::path(directory) / name))
      return found{std::filesystem::path(directory) / name, std::move(*library)};
  if (const auto entry = cache.find(name); entry != cache.end())
    if (auto library = usable(entry->second)) return found{entry->second, std::move(*library)};
  for (const char* directory :
       arch::library_folders)
    if (auto library = usable(std::filesystem::path(directory) / name))
      return found{std::filesystem::path(directory) / name, std::move(*library)};
  return std::nullopt;
}

}  // namespace

library_cache parse_library_cache(std::string_view bytes) {
  library_cache cache;
  const auto start = bytes.find(cache_magic);   // an older table may stand before it
  if (start == std::string_view::npos) return cache;
  bytes.remove_prefix(start);
  cache_header header;
  if (bytes.size() < sizeof header) return cache;
  std::memcpy(&header, bytes.data(), sizeof header);
  if ((bytes.size() - sizeof header) / sizeof(cache_entry) < header.count) return cache;
  const auto text = [&](std::uint32_t offset) {
    if (offset >= bytes.size()) return std::string();
    const auto rest = bytes.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  };
  for (std::uint32_t i = 0; i < header.count; ++i) {
    cache_entry entry;
    std::memcpy(&entry, bytes.data() + sizeof header + i * sizeof entry, sizeof entry);
    // Hardware-specific variants have the same soname and the same relevant dependencies.
    if (entry.flags == arch::cached_library) cache.emplace(text(entry.name), text(entry.file));
  }
  return cache;
}

library_cache read_library_cache() {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_library_cache(bytes);
}

std::vector<loaded_library> library_closure(const elf_program& program, const library_cache& cache,
                                            const std::string& library_path,
                                            const std::set<std::string>& replaced) {
  std::vector<loaded_library> closure;
  std::vector<elf_program> objects{program};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const elf_program from = objects[i];
    for (const auto& name : from.needed) {
      if (!seen.insert(name).second) continue;
      auto library = find_library(name, from, program, cache, library_path);
      closure.push_back({name, library ? library->file : std::filesystem::path()});
      if (library && !replaced.contains(name)) objects.push_back(std::move(library->library));
    }
  }
  return closure;
}

}  // namespace mana::tools
