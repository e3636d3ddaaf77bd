#include <runtime/tools/memory/loaded_objects.hpp>

#include <runtime/symbols/upper_objects.hpp>

#include <elf.h>

#include <algorithm>

namespace mana::tools {
namespace {

/// A program at fixed addresses has no bias: its headers are at the beginning of its first region.
std::uintptr_t headers_of(const saved_memory& memory, const symbols::upper_object& object) {
  if (object.bias != 0 || memory.about().regions.empty()) return object.bias;
  return memory.about().regions.front().begin;
}

/// The object ends where its program headers say.
loaded_object as_loaded(const saved_memory& memory, const symbols::upper_object& object) {
  const std::uintptr_t headers = headers_of(memory, object);
  loaded_object found{object.path, object.bias, headers, headers, false};
  const auto header = memory.get<Elf64_Ehdr>(headers);
  if (!header || header->e_phentsize != sizeof(Elf64_Phdr)) return found;
  for (std::size_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = memory.get<Elf64_Phdr>(headers + header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment || segment->p_type != PT_LOAD) continue;
    const std::uintptr_t end = object.bias + segment->p_vaddr + segment->p_memsz;
    found.end = std::max(found.end, (end + image::page_bytes - 1) / image::page_bytes * image::page_bytes);
  }
  return found;
}

}  // namespace

std::vector<loaded_object> loaded_objects(const saved_memory& memory) {
  std::vector<loaded_object> all;
  try {
    for (const symbols::upper_object& object : symbols::upper_objects(memory)) {
      all.push_back(as_loaded(memory, object));
      all.back().is_program = all.size() == 1;
    }
  } catch (const symbols::memory_error&) {
  }
  return all;
}

}  // namespace mana::tools
