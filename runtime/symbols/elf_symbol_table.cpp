#include <runtime/symbols/elf_symbol_table.hpp>

#include <arch/elf.hpp>

#include <runtime/symbols/mapped_file.hpp>

namespace mana::symbols {

namespace {

using user = std::function<void(std::string_view name, const Elf64_Sym& symbol)>;

void use_table(std::string_view bytes, const Elf64_Shdr& table, const Elf64_Shdr& strings, const user& use) {
  for (std::uint64_t k = 0; k < table.sh_size / sizeof(Elf64_Sym); ++k) {
    const auto symbol = at<Elf64_Sym>(bytes, table.sh_offset + k * sizeof(Elf64_Sym));
    const std::uint64_t place = symbol ? strings.sh_offset + symbol->st_name : bytes.size();
    if (place >= bytes.size()) return;
    const std::string_view rest = bytes.substr(place);
    use(rest.substr(0, rest.find('\0')), *symbol);
  }
}

}  // namespace

bool for_each_symbol(std::string_view bytes, std::uint32_t table_type, const user& use) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != arch::elf_machine) return false;
  bool found = false;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto table = at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!table || table->sh_type != table_type) continue;
    const auto strings = at<Elf64_Shdr>(bytes, header->e_shoff + table->sh_link * sizeof(Elf64_Shdr));
    if (!strings) continue;
    found = true;
    use_table(bytes, *table, *strings, use);
  }
  return found;
}

}  // namespace mana::symbols
