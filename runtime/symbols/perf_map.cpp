#include <runtime/symbols/perf_map.hpp>

#include <runtime/symbols/elf_symbol_table.hpp>
#include <runtime/symbols/mapped_file.hpp>
#include <runtime/symbols/process_memory.hpp>
#include <runtime/symbols/upper_objects.hpp>

#include <mana/lower/abi.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>

namespace mana::symbols {

namespace {

struct function { std::uint64_t bytes; std::string name; };
using functions = std::map<std::uintptr_t, function>;

/// All functions of a file. A stripped file has only its exported functions.
void add_functions(std::string_view file, std::uintptr_t bias, functions& all) {
  const auto add = [&](std::string_view name, const Elf64_Sym& s) {
    const auto type = ELF64_ST_TYPE(s.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s.st_shndx == SHN_UNDEF || s.st_size == 0) return;
    all.try_emplace(bias + s.st_value, function{s.st_size, std::string(name)});
  };
  if (!for_each_symbol(file, SHT_SYMTAB, add)) for_each_symbol(file, SHT_DYNSYM, add);
}

/// The stub has no file on the disk: its file's bytes are in memory.
void add_stub(const memory_view& memory, functions& all) {
  const auto header = memory.get<Elf64_Ehdr>(lower::stub_address);
  if (!header) return;
  std::string file(header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr), '\0');
  if (file.size() < 1u << 20 && memory.read(lower::stub_address, file.data(), file.size()))
    add_functions(file, lower::stub_address, all);
}

}  // namespace

std::string perf_map(const memory_view& memory) {
  functions all;
  for (const upper_object& object : upper_objects(memory)) {
    if (!is_as_loaded(memory, object)) continue;
    const mapped_file file(object.path);
    add_functions(file.bytes(), object.bias, all);
  }
  add_stub(memory, all);
  std::string text;
  for (const auto& [address, f] : all) {
    char numbers[40];
    std::snprintf(numbers, sizeof numbers, "%lx %lx ", static_cast<unsigned long>(address),
                  static_cast<unsigned long>(f.bytes));
    text += numbers + f.name + "\n";
  }
  return text;
}

void write_perf_map() {
  const std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
  const std::string text = perf_map(process_memory("self"));
  ::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  std::size_t done = 0;
  while (fd >= 0 && done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (done < text.size() || fd < 0)
    throw memory_error(path + ": the map for perf cannot be written: " + std::strerror(error), error);
}

}  // namespace mana::symbols
