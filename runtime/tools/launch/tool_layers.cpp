#include <runtime/tools/launch/tool_layers.hpp>

#include <runtime/symbols/elf_symbol_table.hpp>
#include <runtime/symbols/mapped_file.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace mana::tools {
namespace {

/// True for MPI_Send, false for MPI_SEND, which is Fortran's name.
bool is_c_name(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() + 1 && name.starts_with(prefix) &&
         std::islower(static_cast<unsigned char>(name[prefix.size() + 1])) != 0;
}

std::vector<std::string> entries(const std::string& preload) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin < preload.size();) {
    const std::size_t end = std::min(preload.find_first_of(": ", begin), preload.size());
    if (end > begin) found.push_back(preload.substr(begin, end - begin));
    begin = end + 1;
  }
  return found;
}

}  // namespace

bool is_tool_layer(const std::filesystem::path& path) {
  const symbols::mapped_file file(path);
  bool above = false, below = false;
  symbols::for_each_symbol(file.bytes(), SHT_DYNSYM, [&](std::string_view name, const Elf64_Sym& symbol) {
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return;
    above = above || is_c_name(name, "MPI_");
    below = below || is_c_name(name, "PMPI_");
  });
  return above && !below;
}

std::vector<std::filesystem::path> find_tool_layers(const std::string& preload,
                                                    const std::vector<loaded_library>& closure) {
  std::vector<std::filesystem::path> layers;
  const auto look_at = [&layers](const std::filesystem::path& file) {
    if (!file.empty() && std::find(layers.begin(), layers.end(), file) == layers.end() && is_tool_layer(file))
      layers.push_back(file);
  };
  for (const std::string& name : entries(preload)) look_at(name);
  for (const loaded_library& library : closure) look_at(library.file);
  return layers;
}

}  // namespace mana::tools
