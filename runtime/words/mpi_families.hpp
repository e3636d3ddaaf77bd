// Queries of the facts in mpis/*/family.toml.
#pragma once
#include <mana/gen/families.hpp>

#include <cstdlib>
#include <string_view>

namespace mana {

/// in: list  of a mpi_family: ends with a null pointer      out: whether f holds for an entry
template <class F>
bool any_in(const char* const* list, F&& f) {
  for (; *list != nullptr; ++list)
    if (f(*list)) return true;
  return false;
}

/// out: nullptr for mpi_name::none
constexpr const mpi_family* family_of(mpi_name id) noexcept {
  for (const mpi_family& family : mpi_families)
    if (family.id == id) return &family;
  return nullptr;
}

/// in: pattern  with one '*', which stands for any text, also for none
constexpr bool matches(std::string_view pattern, std::string_view name) noexcept {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) && name.ends_with(pattern.substr(star + 1));
}

/// in: name  a library's, without directory      out: the family with this C library; nullptr: none of the built
///     families
inline const mpi_family* family_of_library(std::string_view name) noexcept {
  const auto is_it = [&](const char* pattern) { return matches(pattern, name); };
  for (const mpi_family& family : mpi_families)
    if (any_in(family.sonames, is_it)) return &family;
  for (const mpi_family& family : mpi_families)
    if (any_in(family.soname_patterns, is_it)) return &family;
  return nullptr;
}

/// As family_of_library, for the name of a file, which may have more numbers at its end: libmpi.so.40.30.4.
inline const mpi_family* family_of_file(std::string_view name) noexcept {
  for (;;) {
    if (const mpi_family* const family = family_of_library(name)) return family;
    const std::size_t end = name.find_last_not_of("0123456789");
    if (end == std::string_view::npos || name[end] != '.' || end + 1 == name.size()) return nullptr;
    name = name.substr(0, end);
  }
}

/// Whether `name` is that of one of the family's C libraries for linking: libmpi.so for libmpi.so.40.
inline bool is_for_linking(std::string_view name, const mpi_family& family) noexcept {
  const auto is_it = [&](std::string_view pattern) { return matches(pattern.substr(0, pattern.rfind('.')), name); };
  return any_in(family.sonames, is_it) || any_in(family.soname_patterns, is_it);
}

/// in: path  of a library, as a dynamic linker knows it      out: the family whose wrapper library it is; nullptr: none
inline const mpi_family* family_of_wrappers(std::string_view path) noexcept {
  constexpr std::string_view before = "libmana-", after = ".so";
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with(before) || !name.ends_with(after)) return nullptr;
  name = name.substr(before.size(), name.size() - before.size() - after.size());
  for (const mpi_family& family : mpi_families)
    if (name == family.name) return &family;
  return nullptr;
}

/// Whether the name is the C library of any MPI, even one without a lower half.
inline bool is_mpi_library(std::string_view name) noexcept {
  for (const char* const stem : mpi_library_stems)
    if (name.starts_with(stem)) return true;
  return false;
}

/// Whether a process of this name starts the ranks of a job on its node. in: name  of the program, without directory
inline bool starts_ranks(std::string_view name) noexcept {
  for (const mpi_family& family : mpi_families)
    if (any_in(family.processes, [&](const char* beginning) { return name.starts_with(beginning); })) return true;
  return false;
}

/// The first variable of all families' lists that `read` accepts.
/// in: list  member of mpi_family; read  of a variable's value (never null)      out: false: none was accepted
template <class Get, class Read>
bool first_variable(const char* const* mpi_family::* list, Get&& get, Read&& read) {
  for (const mpi_family& family : mpi_families)
    if (any_in(family.*list, [&](const char* name) {
          const char* const value = get(name);
          return value != nullptr && read(value);
        }))
      return true;
  return false;
}

}  // namespace mana
