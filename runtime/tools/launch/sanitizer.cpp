#include <runtime/tools/launch/sanitizer.hpp>

#include <runtime/symbols/elf_symbol_table.hpp>
#include <runtime/symbols/mapped_file.hpp>

#include <string_view>

namespace mana::tools {
namespace {

struct sanitizer { const char *name, *library, *word, *symbol; };

/// library: gcc's. word: in the names of clang's libraries. symbol: beginning of a name that only this runtime has.
constexpr sanitizer known[] = {
    {"AddressSanitizer", "libasan.so", "asan", "__asan_init"},
    {"HWAddressSanitizer", "libhwasan.so", "hwasan", "__hwasan_init"},
    {"ThreadSanitizer", "libtsan.so", "tsan", "__tsan_init"},
    {"MemorySanitizer", "libmsan.so", "msan", "__msan_init"},
    {"LeakSanitizer", "liblsan.so", "lsan", "__lsan_init"},
    {"UndefinedBehaviorSanitizer", "libubsan.so", "ubsan", "__ubsan_handle_"},
};

bool is_library_of(const sanitizer& s, const std::string& file) {
  return file.starts_with(s.library) || file.starts_with(std::string("libclang_rt.") + s.word);
}

}  // namespace

std::string find_sanitizer(const std::filesystem::path& program, const std::vector<loaded_library>& closure) {
  for (const sanitizer& s : known)
    for (const loaded_library& library : closure)
      if (is_library_of(s, library.name.substr(library.name.rfind('/') + 1))) return s.name;
  const symbols::mapped_file file(program);
  const sanitizer* found = nullptr;
  for (const std::uint32_t table : {std::uint32_t{SHT_DYNSYM}, std::uint32_t{SHT_SYMTAB}})
    symbols::for_each_symbol(file.bytes(), table, [&](std::string_view name, const Elf64_Sym&) {
      // a runtime that reserves no memory
      const bool minimal = name.ends_with("_minimal") || name.ends_with("_minimal_abort");
      for (const sanitizer& s : known)
        if (name.starts_with(s.symbol) && !minimal && (found == nullptr || &s < found)) found = &s;
    });
  return found == nullptr ? std::string() : found->name;
}

}  // namespace mana::tools
