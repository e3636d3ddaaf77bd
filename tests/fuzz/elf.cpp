// Programs and libraries from any bytes: what mana says of them, and what it would load.
#include "byte_file.hpp"

#include <runtime/split/load/elf_image.hpp>
#include <runtime/split/window/upper_half.hpp>
#include <runtime/symbols/elf_symbol_table.hpp>
#include <runtime/tools/mpi/elf_program.hpp>

#include <string_view>

namespace {

using namespace mana;

void read_symbols(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t names = 0;
  for (const std::uint32_t table : {SHT_SYMTAB, SHT_DYNSYM})
    symbols::for_each_symbol(text, table, [&](std::string_view name, const Elf64_Sym&) { names += name.size(); });
}

/// What the loader would map must be in the file and in one piece.
void read_segments(const std::string& path) {
  try {
    const split::elf_file file(path);
    file.wants_executable_stack();
    if (file.span_bytes() % split::page_bytes != 0 || (file.alignment() & (file.alignment() - 1)) != 0) __builtin_trap();
    file.program_headers();
  } catch (const split::load_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static byte_file file;
  file.hold({data, size});
  tools::read_elf_program(file.path());
  tools::script_interpreter(file.path());
  read_segments(file.path());
  read_symbols({data, size});
  return 0;
}
