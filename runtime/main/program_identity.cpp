#include "program_identity.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>

namespace mana::run {

namespace {

using file_bytes = std::span<const unsigned char>;

/// A file's contents, mapped for reading while it lives.
class mapped_file {
 public:
  explicit mapped_file(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info{};
    if (fd < 0 || fstat(fd, &info) != 0) throw std::system_error(errno, std::generic_category(), path);
    size_ = static_cast<std::size_t>(info.st_size);
    void* const at = size_ == 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (at == MAP_FAILED) throw std::system_error(size_ == 0 ? ENOEXEC : errno, std::generic_category(), path);
    begin_ = static_cast<unsigned char*>(at);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() { munmap(begin_, size_); }
  file_bytes bytes() const noexcept { return {begin_, size_}; }

 private:
  unsigned char* begin_ = nullptr;
  std::size_t size_ = 0;
};

/// A T at this place of the file; nothing where the file ends before it does.
template <class T>
std::optional<T> read_at(file_bytes file, std::size_t offset) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::string hex(file_bytes bytes) {
  std::string text;
  char two[3];
  for (const unsigned char b : bytes) {
    std::snprintf(two, sizeof two, "%02x", b);
    text += two;
  }
  return text;
}

/// The build id among the notes of one segment; empty if it is not there.
std::string build_id_in(file_bytes notes, std::size_t alignment) {
  const std::size_t aligned = alignment == 8 ? 8 : 4;
  const auto padded = [aligned](std::size_t n) { return (n + aligned - 1) / aligned * aligned; };
  for (std::size_t at = 0;;) {
    const auto note = read_at<Elf64_Nhdr>(notes, at);
    if (!note) return {};
    const std::size_t name = at + sizeof(Elf64_Nhdr), contents = name + padded(note->n_namesz);
    if (contents > notes.size() || note->n_descsz > notes.size() - contents) return {};
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(&notes[name], "GNU", 4) == 0)
      return hex(notes.subspan(contents, note->n_descsz));
    at = contents + padded(note->n_descsz);
  }
}

}  // namespace

std::string program_identity(const std::string& path) {
  const mapped_file file(path);
  const file_bytes bytes = file.bytes();
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0) {
    for (std::size_t i = 0; i < header->e_phnum; ++i) {
      const auto segment = read_at<Elf64_Phdr>(bytes, header->e_phoff + i * sizeof(Elf64_Phdr));
      if (!segment) break;
      if (segment->p_type != PT_NOTE || segment->p_offset > bytes.size() ||
          segment->p_filesz > bytes.size() - segment->p_offset) continue;
      std::string id = build_id_in(bytes.subspan(segment->p_offset, segment->p_filesz), segment->p_align);
      if (!id.empty()) return id;
    }
  }
  const XXH64_hash_t sum = XXH3_64bits(bytes.data(), bytes.size());
  unsigned char digits[sizeof sum];
  std::memcpy(digits, &sum, sizeof sum);
  return "sum:" + hex(digits);
}

}  // namespace mana::run
