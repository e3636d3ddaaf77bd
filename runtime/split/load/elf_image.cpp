#include <runtime/split/load/elf_image.hpp>

#include <arch/elf.hpp>

#include <runtime/split/window/upper_half.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>

namespace mana::split {
namespace {

constexpr std::uint64_t most_address = std::uint64_t{1} << 47;
constexpr std::uint64_t most_code = std::uint64_t{1} << 32;      // of a fixed program: the filter looks there

int protection(const Elf64_Phdr& segment) noexcept {
  return ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

/// Whether it can be mapped: its part of the file exists, is not longer than its memory, and has the requested place in
/// a page.
bool can_be_loaded(const Elf64_Phdr& s, std::uint64_t file_bytes) noexcept {
  const bool in_file = s.p_offset <= file_bytes && s.p_filesz <= file_bytes - s.p_offset;
  const bool in_memory = s.p_memsz <= most_address && s.p_vaddr <= most_address - s.p_memsz;
  const bool paired = s.p_filesz <= s.p_memsz && s.p_vaddr % page_bytes == s.p_offset % page_bytes;
  return in_memory && (s.p_filesz == 0 || (in_file && paired));
}

}  // namespace

elf_file::elf_file(std::string path) : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) fail(66, std::string("cannot be read: ") + std::strerror(errno));
  try {
    read_headers();
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

elf_file::~elf_file() { ::close(fd_); }

void elf_file::fail(int code, const std::string& why) const { throw load_error(code, path_ + " " + why); }

void elf_file::read_headers() {
  const ssize_t n = ::pread(fd_, &header_, sizeof header_, 0);
  if (n < EI_NIDENT || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0)
    fail(67, "is neither an ELF program nor a script with a \"#!\" line: give the program itself");
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
      header_.e_machine != arch::elf_machine)
    fail(68, "is a program for another architecture, this is x86-64: build it for this machine");
  if (header_.e_type != ET_EXEC && header_.e_type != ET_DYN)
    fail(67, "is an ELF file, but no program: link it");
  segments_.resize(header_.e_phnum);
  const auto bytes = static_cast<ssize_t>(segments_.size() * sizeof(Elf64_Phdr));
  if (n != sizeof header_ || header_.e_phentsize != sizeof(Elf64_Phdr) || segments_.empty() ||
      ::pread(fd_, segments_.data(), static_cast<std::size_t>(bytes), static_cast<off_t>(header_.e_phoff)) != bytes)
    fail(67, "is damaged: its program headers lie outside the file. Build or copy it again");
  struct stat about{};
  if (::fstat(fd_, &about) != 0) fail(66, std::string("cannot be examined: ") + std::strerror(errno));
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == PT_LOAD && !can_be_loaded(s, static_cast<std::uint64_t>(about.st_size)))
      fail(67, "is damaged: a segment cannot be loaded as its header says. Build or copy it again");
  for (const Elf64_Phdr& s : segments_) {
    if (s.p_type != PT_INTERP) continue;
    if (s.p_filesz < 2 || s.p_filesz > 4096) fail(67, "is damaged: it names no valid dynamic linker");
    interpreter_.resize(s.p_filesz);
    if (::pread(fd_, interpreter_.data(), s.p_filesz, static_cast<off_t>(s.p_offset)) !=
        static_cast<ssize_t>(s.p_filesz))
      fail(67, "is damaged: the name of its dynamic linker lies outside the file");
    interpreter_.resize(std::strlen(interpreter_.c_str()));
  }
}

bool elf_file::wants_executable_stack() const noexcept {
  return std::any_of(segments_.begin(), segments_.end(), [](const Elf64_Phdr& s) {
    return s.p_type == PT_GNU_STACK && (s.p_flags & PF_X) != 0;
  });
}

address_range elf_file::file_range() const noexcept {
  address_range all{std::numeric_limits<std::uintptr_t>::max(), 0};
  for (const Elf64_Phdr& s : segments_) {
    if (s.p_type != PT_LOAD) continue;
    all.begin = std::min(all.begin, page_floor(s.p_vaddr));
    all.end = std::max(all.end, page_ceil(s.p_vaddr + s.p_memsz));
  }
  return all.begin < all.end ? all : address_range{0, 0};
}

std::uintptr_t elf_file::code_end() const noexcept {
  std::uintptr_t end = 0;
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X) != 0) end = std::max<std::uintptr_t>(end, s.p_vaddr + s.p_memsz);
  return end;
}

program_places elf_file::places() const noexcept {
  program_places p{~std::uint64_t{0}, 0, 0, 0, 0, 0, 0, 0, 0};
  for (const Elf64_Phdr& s : segments_) {
    if (s.p_type != PT_LOAD) continue;
    const std::uint64_t begin = bias_ + s.p_vaddr, end = begin + s.p_filesz;
    if ((s.p_flags & PF_X) != 0) {
      p.code_begin = std::min(p.code_begin, begin);
      p.code_end = std::max(p.code_end, end);
    }
    p.data_begin = std::max(p.data_begin, begin);
    p.data_end = std::max(p.data_end, end);
  }
  return p;
}

std::size_t elf_file::span_bytes() const noexcept { return file_range().bytes(); }

std::size_t elf_file::alignment() const noexcept {
  std::size_t most = page_bytes;
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == PT_LOAD && (s.p_align & (s.p_align - 1)) == 0) most = std::max<std::size_t>(most, s.p_align);
  return most;
}

address_range elf_file::map(std::uintptr_t base) {
  const address_range in_file = file_range();
  if (in_file.bytes() == 0) fail(67, "has nothing to load: build it again");
  bias_ = fixed() ? 0 : base - in_file.begin;
  const address_range range{bias_ + in_file.begin, bias_ + in_file.end};
  if (fixed() && (range.end > lower::fixed_end || code_end() > most_code))
    fail(67, "is linked for fixed addresses where it cannot lie under mana: link it with -pie (position independent)");
  void* const got = ::mmap(reinterpret_cast<void*>(range.begin), range.bytes(), PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) fail(63, std::string("cannot be mapped at its address: ") + std::strerror(errno));
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == PT_LOAD) map_segment(s);
  return range;
}

/// Zeroes the last page of a writable segment behind the file's part: ld.so allocates from it.
void elf_file::map_segment(const Elf64_Phdr& s) {
  const std::uintptr_t begin = page_floor(bias_ + s.p_vaddr);
  const std::uintptr_t file_end = bias_ + s.p_vaddr + s.p_filesz;
  const std::uintptr_t end = page_ceil(bias_ + s.p_vaddr + s.p_memsz);
  const std::uintptr_t file_pages_end = s.p_filesz == 0 ? begin : page_ceil(file_end);
  const int prot = protection(s);
  const auto mapped = [&](std::uintptr_t at, std::size_t bytes, int flags, int fd, std::uint64_t offset) {
    if (::mmap(reinterpret_cast<void*>(at), bytes, prot, MAP_PRIVATE | MAP_FIXED | flags, fd,
               static_cast<off_t>(offset)) == MAP_FAILED)
      fail(errno == ENOMEM ? 66 : 63, std::string("cannot be mapped, ") + std::to_string(bytes >> 20) +
           " MiB at once: " + std::strerror(errno));
  };
  if (file_pages_end > begin) mapped(begin, file_pages_end - begin, 0, fd_, page_floor(s.p_offset));
  if ((s.p_flags & PF_W) != 0 && s.p_filesz != 0)
    std::memset(reinterpret_cast<void*>(file_end), 0, file_pages_end - file_end);
  if (end > file_pages_end) mapped(file_pages_end, end - file_pages_end, MAP_ANONYMOUS, -1, 0);
}

std::uintptr_t elf_file::program_headers() const noexcept {
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == PT_PHDR) return bias_ + s.p_vaddr;
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == PT_LOAD && s.p_offset <= header_.e_phoff && header_.e_phoff < s.p_offset + s.p_filesz)
      return bias_ + s.p_vaddr + (header_.e_phoff - s.p_offset);
  return 0;
}

bool elf_file::makes_system_calls() const noexcept {
  return std::any_of(segments_.begin(), segments_.end(), [&](const Elf64_Phdr& s) {
    if (s.p_type != PT_LOAD || (s.p_flags & PF_X) == 0 || (s.p_flags & PF_R) == 0) return false;
    const std::string_view code(reinterpret_cast<const char*>(bias_ + s.p_vaddr), s.p_filesz);
    return code.find(std::string_view("\x0f\x05", 2)) != std::string_view::npos;
  });
}

}  // namespace mana::split
