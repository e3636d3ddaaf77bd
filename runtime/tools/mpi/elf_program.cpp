#include <runtime/tools/mpi/elf_program.hpp>

#include <arch/elf.hpp>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace mana::tools {
namespace {

// Text tables and program headers larger than these are damage, not programs.
constexpr std::uint64_t max_strings_bytes = 64u << 20;
constexpr std::uint64_t max_dynamic_bytes = 1u << 20;

/// Thrown and caught inside this file only.
struct damaged {};

class input {
 public:
  explicit input(const std::filesystem::path& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path.string());
  }
  ~input() { ::close(fd_); }
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  /// Up to `size` bytes from `offset`; fewer at the end of the file.
  std::string some(std::uint64_t offset, std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t got = 0;
    while (got < size) {
      const ssize_t n = ::pread(fd_, bytes.data() + got, size - got, static_cast<off_t>(offset + got));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      got += static_cast<std::size_t>(n);
    }
    bytes.resize(got);
    return bytes;
  }
  std::string all(std::uint64_t offset, std::uint64_t size) const {
    std::string bytes = some(offset, static_cast<std::size_t>(size));
    if (bytes.size() != size) throw damaged{};
    return bytes;
  }
  template <class T>
  std::vector<T> array(std::uint64_t offset, std::uint64_t count) const {
    const std::string bytes = all(offset, count * sizeof(T));
    std::vector<T> items(static_cast<std::size_t>(count));
    if (count != 0) std::memcpy(items.data(), bytes.data(), bytes.size());
    return items;
  }

 private:
  int fd_;
};

std::uint64_t file_offset(const std::vector<Elf64_Phdr>& headers, std::uint64_t address) {
  for (const auto& header : headers) {
    if (header.p_type != PT_LOAD || address < header.p_vaddr) continue;
    if (address - header.p_vaddr < header.p_filesz) return address - header.p_vaddr + header.p_offset;
  }
  throw damaged{};
}

std::string text_at(const std::string& strings, std::uint64_t offset) {
  if (offset >= strings.size()) throw damaged{};
  return std::string(strings.c_str() + offset);
}

/// A directory may be named "$ORIGIN" itself, so filled-in text is not searched again.
std::string with_origin(const std::string& directory, const std::string& origin) {
  std::string filled;
  for (std::size_t begin = 0;;) {
    const std::size_t at = std::min(directory.find("${ORIGIN}", begin), directory.find("$ORIGIN", begin));
    filled += directory.substr(begin, at == std::string::npos ? at : at - begin);
    if (at == std::string::npos) return filled;
    filled += origin;
    begin = at + (directory[at + 1] == '{' ? std::strlen("${ORIGIN}") : std::strlen("$ORIGIN"));
  }
}

/// The directory of a file that may have been removed meanwhile.
std::filesystem::path directory_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(path, error);
  return (error ? path : whole).parent_path();
}

std::vector<std::string> directories(const std::string& list, const std::filesystem::path& origin) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    const std::string directory = list.substr(begin, end - begin);
    if (!directory.empty()) result.push_back(with_origin(directory, origin.string()));
    begin = end + 1;
  }
  return result;
}

void read_dynamic(const input& file, const std::vector<Elf64_Phdr>& headers, const Elf64_Phdr& segment,
                  const std::filesystem::path& origin, elf_program& program) {
  if (segment.p_filesz > max_dynamic_bytes) throw damaged{};
  const auto entries = file.array<Elf64_Dyn>(segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
  std::uint64_t strings_address = 0, strings_bytes = 0;
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_STRTAB) strings_address = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) strings_bytes = entry.d_un.d_val;
  }
  if (strings_bytes == 0) return;
  if (strings_bytes > max_strings_bytes) throw damaged{};
  const std::string strings = file.all(file_offset(headers, strings_address), strings_bytes);
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) program.needed.push_back(text_at(strings, entry.d_un.d_val));
    if (entry.d_tag == DT_SONAME) program.soname = text_at(strings, entry.d_un.d_val);
    if (entry.d_tag == DT_RPATH) program.rpath = directories(text_at(strings, entry.d_un.d_val), origin);
    if (entry.d_tag == DT_RUNPATH) program.runpath = directories(text_at(strings, entry.d_un.d_val), origin);
  }
}

void read_headers(const input& file, const std::filesystem::path& path, elf_program& program) {
  const auto header = file.array<Elf64_Ehdr>(0, 1)[0];
  program.machine = header.e_machine;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != arch::elf_machine) {
    program.form = file_form::foreign;
    return;
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr) || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
    throw damaged{};
  const auto headers = file.array<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  const auto origin = directory_of(path);
  for (const auto& segment : headers) {
    if (segment.p_type == PT_DYNAMIC) read_dynamic(file, headers, segment, origin, program);
    if (segment.p_type == PT_INTERP) {
      if (segment.p_filesz > 4096) throw damaged{};
      program.loader = file.all(segment.p_offset, segment.p_filesz).c_str();
    }
  }
  program.form = !program.loader.empty()                               ? file_form::dynamic_program
                 : header.e_type == ET_DYN && !program.soname.empty() ? file_form::shared_object
                                                                       : file_form::static_program;
}

}  // namespace

elf_program read_elf_program(const std::filesystem::path& path) {
  const input file(path);
  elf_program program;
  const std::string head = file.some(0, EI_NIDENT);
  if (head.starts_with("#!")) {
    program.form = file_form::script;
  } else if (head.starts_with(std::string(ELFMAG, SELFMAG))) {
    try {
      read_headers(file, path, program);
    } catch (const damaged&) {
      program.form = file_form::damaged;
    }
  }
  return program;
}

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case arch::elf_machine: return arch::name;
    case EM_386: return "32-bit x86";
    case EM_AARCH64: return "AArch64";
    case EM_ARM: return "32-bit ARM";
    case EM_PPC64: return "PowerPC 64";
    case EM_RISCV: return "RISC-V";
    case EM_S390: return "S/390";
    default: return fmt::format("machine {}", machine);
  }
}

std::vector<std::string> script_interpreter(const std::filesystem::path& path) {
  const std::string head = input(path).some(0, 4096);   // the kernel reads at most 256 bytes
  if (!head.starts_with("#!")) return {};
  const std::string line =
      head.substr(2, head.find('\n') == std::string::npos ? std::string::npos : head.find('\n') - 2);
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  const auto end = std::min(line.find_first_of(" \t", begin), line.size());
  std::vector<std::string> words{line.substr(begin, end - begin)};
  const auto argument = line.find_first_not_of(" \t", end);
  if (argument != std::string::npos)
    words.push_back(line.substr(argument, line.find_last_not_of(" \t\r") + 1 - argument));
  return words;
}

}  // namespace mana::tools
