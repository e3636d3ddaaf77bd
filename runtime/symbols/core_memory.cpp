#include <runtime/symbols/core_memory.hpp>

#include <arch/elf.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mana::symbols {

namespace {

constexpr std::uint64_t max_note_bytes = 64u << 20;
constexpr std::size_t max_segments = 1u << 20;

bool read_at(int fd, void* to, std::size_t n, std::uint64_t offset) noexcept {
  ssize_t got = 0;
  do {
    got = ::pread(fd, to, n, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got >= 0 && static_cast<std::size_t>(got) == n;
}

/// Word i of a note.
std::uint64_t word(const std::vector<char>& note, std::size_t i) noexcept {
  std::uint64_t value = 0;
  if ((i + 1) * sizeof value <= note.size()) std::memcpy(&value, note.data() + i * sizeof value, sizeof value);
  return value;
}

constexpr std::uint64_t padded(std::uint64_t n) noexcept { return (n + 3) & ~std::uint64_t{3}; }

}  // namespace

core_memory::core_memory(const std::string& path)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) fail(std::strerror(errno), errno);
  try {
    read_headers();
    for (const Elf64_Phdr& segment : segments_)
      if (segment.p_type == PT_NOTE) read_notes(segment);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

core_memory::~core_memory() { ::close(fd_); }

void core_memory::fail(const std::string& why, int error) { throw memory_error(why, error); }

void core_memory::read_headers() {
  Elf64_Ehdr header{};
  if (!read_at(fd_, &header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_CORE || header.e_machine != arch::elf_machine ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    fail("this is not a core dump of an x86-64 process");
  std::size_t count = header.e_phnum;
  Elf64_Shdr first{};
  if (count == PN_XNUM && read_at(fd_, &first, sizeof first, header.e_shoff)) count = first.sh_info;
  if (count > max_segments) fail("the core dump is damaged");
  segments_.resize(count);
  if (!read_at(fd_, segments_.data(), count * sizeof(Elf64_Phdr), header.e_phoff)) fail("the core dump is cut off");
}

void core_memory::read_notes(const Elf64_Phdr& segment) {
  if (segment.p_filesz > max_note_bytes) fail("the core dump is damaged");
  const std::uint64_t end = segment.p_offset + segment.p_filesz;
  for (std::uint64_t at = segment.p_offset; at + sizeof(Elf64_Nhdr) <= end;) {
    Elf64_Nhdr note{};
    if (!read_at(fd_, &note, sizeof note, at)) return;
    const std::uint64_t contents = at + sizeof note + padded(note.n_namesz);
    at = contents + padded(note.n_descsz);
    if (at > end || (note.n_type != NT_FILE && note.n_type != NT_AUXV)) continue;
    std::vector<char> bytes(note.n_descsz);
    if (!read_at(fd_, bytes.data(), bytes.size(), contents)) return;
    if (note.n_type == NT_FILE) read_files(bytes);
    for (std::size_t i = 0; note.n_type == NT_AUXV && i + 1 < bytes.size() / 8; i += 2)
      if (word(bytes, i) == AT_ENTRY) entry_ = word(bytes, i + 1);
  }
}

/// count, bytes per page, count × (begin, end, offset in pages), then the names, each with a zero at its end.
void core_memory::read_files(const std::vector<char>& note) {
  const std::uint64_t count = word(note, 0), page = word(note, 1);
  if (count > note.size() / 24) return;
  std::size_t name = static_cast<std::size_t>(2 + 3 * count) * 8;
  for (std::size_t i = 0; i < count && name < note.size(); ++i) {
    const std::string path(note.data() + name, strnlen(note.data() + name, note.size() - name));
    name += path.size() + 1;
    files_.push_back({word(note, 2 + 3 * i), word(note, 3 + 3 * i), word(note, 4 + 3 * i) * page, path});
  }
}

const core_memory::mapped* core_memory::file_of(std::uintptr_t address) const noexcept {
  for (const mapped& file : files_)
    if (file.begin <= address && address < file.end) return &file;
  return nullptr;
}

bool core_memory::from_core(std::uintptr_t address, void* to, std::size_t n) const noexcept {
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == PT_LOAD && s.p_vaddr <= address && address + n <= s.p_vaddr + s.p_filesz)
      return read_at(fd_, to, n, s.p_offset + (address - s.p_vaddr));
  return false;
}

bool core_memory::from_file(std::uintptr_t address, void* to, std::size_t n) const noexcept {
  const mapped* const file = file_of(address);
  if (file == nullptr || address + n > file->end) return false;
  const int fd = ::open(file->path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = read_at(fd, to, n, file->offset + (address - file->begin));
  ::close(fd);
  return done;
}

bool core_memory::read(std::uintptr_t address, void* to, std::size_t n) const noexcept {
  return from_core(address, to, n) || from_file(address, to, n);
}

std::string core_memory::file_at(std::uintptr_t address) const {
  const mapped* const file = file_of(address);
  return file == nullptr ? std::string() : file->path;
}

std::string core_memory::program() const { return entry_ == 0 ? std::string() : file_at(entry_); }

}  // namespace mana::symbols
