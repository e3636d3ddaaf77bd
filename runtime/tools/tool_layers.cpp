#include "tool_layers.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>

namespace mana::tools {
namespace {

/// A file's bytes, of which only those that are looked at are read: libraries are large, their symbol tables are not.
class mapped_file {
 public:
  explicit mapped_file(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat found {};
    if (fd >= 0 && ::fstat(fd, &found) == 0 && found.st_size > 0) {
      size_ = static_cast<std::size_t>(found.st_size);
      begin_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0) ::close(fd);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() { if (begin_ != MAP_FAILED) ::munmap(begin_, size_); }
  /// Empty if the file could not be read.
  std::string_view bytes() const {
    return begin_ == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(begin_), size_);
  }

 private:
  void* begin_ = MAP_FAILED;
  std::size_t size_ = 0;
};

/// The T at this offset of a file's bytes; nothing if it reaches beyond them.
template <class T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// MPI_Send, not MPI_SEND, which is Fortran's.
bool is_c_name(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() + 1 && name.starts_with(prefix) &&
         std::islower(static_cast<unsigned char>(name[prefix.size() + 1])) != 0;
}

/// Calls use(name) for each function that the dynamic symbol table defines.
template <class Use>
void for_each_defined_function(std::string_view bytes, Use use) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_X86_64) return;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto table = at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!table || table->sh_type != SHT_DYNSYM) continue;
    const auto strings = at<Elf64_Shdr>(bytes, header->e_shoff + table->sh_link * sizeof(Elf64_Shdr));
    if (!strings) return;
    for (std::uint64_t k = 0; k < table->sh_size / sizeof(Elf64_Sym); ++k) {
      const auto symbol = at<Elf64_Sym>(bytes, table->sh_offset + k * sizeof(Elf64_Sym));
      if (!symbol || symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
      const std::uint64_t place = strings->sh_offset + symbol->st_name;
      if (place >= bytes.size()) return;
      const std::string_view rest = bytes.substr(place);
      if (rest.starts_with("MPI_") || rest.starts_with("PMPI_")) use(rest.substr(0, rest.find('\0')));
    }
  }
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
  const mapped_file file(path);
  bool above = false, below = false;
  for_each_defined_function(file.bytes(), [&](std::string_view name) {
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
