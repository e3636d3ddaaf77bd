#include <runtime/symbols/upper_objects.hpp>

#include <runtime/symbols/mapped_file.hpp>

#include <runtime/split/window/saved_state.hpp>

#include <elf.h>
#include <link.h>

#include <array>
#include <cstring>
#include <optional>

namespace mana::symbols {

namespace {

constexpr std::size_t most_objects = 100000;         // a list without an end is damage

std::uintptr_t place(const void* pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }

void check_version(const memory_view& memory) {
  const auto magic = memory.get<std::uint64_t>(lower::bridge_address);
  const auto major = memory.get<std::uint32_t>(lower::bridge_address + offsetof(lower::bridge, major));
  if (!magic || *magic != lower::bridge_magic) throw memory_error("mana has loaded no program there");
  if (major != lower::layout_major)
    throw memory_error("the program there was loaded by another version of mana");
}

/// The first value with this tag in the program's dynamic section; 0: none.
std::uint64_t dynamic_value(const memory_view& memory, std::uintptr_t section, std::int64_t tag) {
  for (std::size_t i = 0; i < 4096; ++i) {
    const auto entry = memory.get<Elf64_Dyn>(section + i * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag == DT_NULL) return 0;
    if (entry->d_tag == tag) return entry->d_un.d_val;
  }
  return 0;
}

struct loaded_program {
  upper_object object;
  std::uintptr_t dynamic = 0;                          // address of its dynamic section
};

bool is_elf(const std::optional<Elf64_Ehdr>& header) noexcept {
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

loaded_program find_program(const memory_view& memory) {
  const auto fixed = memory.get<std::uint64_t>(split::saved_state_address + offsetof(split::saved_state, fixed_begin));
  const bool is_large = !is_elf(memory.get<Elf64_Ehdr>(lower::program_zone));
  const std::uintptr_t moved = is_large ? lower::large_program_zone : lower::program_zone;
  const std::uintptr_t image = fixed.value_or(0) != 0 ? *fixed : moved;
  loaded_program found{{memory.text(split::saved_state_address + offsetof(split::saved_state, program)), 0}};
  const auto header = memory.get<Elf64_Ehdr>(image);
  if (!is_elf(header)) throw memory_error("mana has loaded no program there yet");
  found.object.bias = header->e_type == ET_EXEC ? 0 : image;
  for (std::size_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = memory.get<Elf64_Phdr>(image + header->e_phoff + i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_DYNAMIC) found.dynamic = found.object.bias + segment->p_vaddr;
  }
  return found;
}

/// The linker may name a library by a path that is relative to an earlier working directory of the process.
std::string path_of(const memory_view& memory, const link_map& object) {
  const std::string mapped = memory.file_at(place(object.l_ld));
  return mapped.empty() || mapped.ends_with(" (deleted)") ? memory.text(place(object.l_name)) : mapped;
}

}  // namespace

std::vector<upper_object> upper_objects(const memory_view& memory) {
  check_version(memory);
  const loaded_program program = find_program(memory);
  std::vector<upper_object> all{program.object};
  const std::uintptr_t debug = program.dynamic == 0 ? 0 : dynamic_value(memory, program.dynamic, DT_DEBUG);
  const auto list = debug == 0 ? std::nullopt : memory.get<r_debug>(debug);
  std::uintptr_t next = list ? place(list->r_map) : 0;
  for (std::size_t n = 0; next != 0 && n < most_objects; ++n) {
    const auto object = memory.get<link_map>(next);
    if (!object) break;
    next = place(object->l_next);
    if (place(object->l_ld) == program.dynamic) continue;
    std::string path = path_of(memory, *object);
    if (path.find('/') != std::string::npos) all.push_back({std::move(path), object->l_addr});   // skips the vDSO
  }
  return all;
}

/// The page of headers contains the build id, and the loader does not change it.
bool is_as_loaded(const memory_view& memory, const upper_object& object) {
  const mapped_file file(object.path);
  const std::string_view bytes = file.bytes();
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
  for (std::size_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(bytes, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment || segment->p_type != PT_LOAD || segment->p_offset != 0) continue;
    std::array<char, 1024> head;
    const bool readable = memory.read(object.bias + segment->p_vaddr, head.data(), head.size());
    if (bytes.size() < head.size() || !readable) return true;
    return std::memcmp(head.data(), bytes.data(), head.size()) == 0;
  }
  return true;
}

}  // namespace mana::symbols
