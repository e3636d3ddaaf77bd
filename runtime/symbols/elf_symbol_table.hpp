// The symbol tables of an ELF file for x86-64, from its bytes. A damaged table yields fewer symbols.
#pragma once
#include <elf.h>

#include <cstdint>
#include <functional>
#include <string_view>

namespace mana::symbols {

/// Calls use(name, symbol) for each symbol of the tables of this type: SHT_DYNSYM or SHT_SYMTAB.
/// out: false: no such table
bool for_each_symbol(std::string_view bytes, std::uint32_t table_type,
                     const std::function<void(std::string_view name, const Elf64_Sym& symbol)>& use);

}  // namespace mana::symbols
