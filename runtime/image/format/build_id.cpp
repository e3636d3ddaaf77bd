#include <runtime/image/format/build_id.hpp>

#include <runtime/files/io_error.hpp>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

namespace mana::image {

namespace {

using file_bytes = std::span<const unsigned char>;

/// Reads the file from `offset` on: `bytes` bytes, or fewer if the file ends before.
using reader = std::function<file_bytes(std::uint64_t offset, std::size_t bytes)>;

template <class T>
std::optional<T> value_at(const reader& file, std::uint64_t offset) {
  const file_bytes bytes = file(offset, sizeof(T));
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
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

/// The build id among the notes of one segment; empty if they have none.
std::string build_id_in(file_bytes notes, std::size_t alignment) {
  const std::size_t aligned = alignment == 8 ? 8 : 4;
  const auto padded = [aligned](std::size_t n) { return (n + aligned - 1) / aligned * aligned; };
  for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    const std::size_t name = at + sizeof note, contents = name + padded(note.n_namesz);
    if (contents > notes.size() || note.n_descsz > notes.size() - contents) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(&notes[name], "GNU", 4) == 0)
      return hex(notes.subspan(contents, note.n_descsz));
    at = contents + padded(note.n_descsz);
  }
  return {};
}

/// The segments that can be read; none if the file is no ELF file.
std::vector<Elf64_Phdr> segments_of(const reader& file) {
  const auto header = value_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  std::vector<Elf64_Phdr> found;
  for (std::size_t i = 0; i < header->e_phnum; ++i) {
    if (header->e_phoff > UINT64_MAX - i * sizeof(Elf64_Phdr)) break;
    const auto segment = value_at<Elf64_Phdr>(file, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) break;
    found.push_back(*segment);
  }
  return found;
}

std::string find_build_id(const reader& file) {
  constexpr std::size_t most_notes = 64u << 10;
  for (const Elf64_Phdr& segment : segments_of(file)) {
    if (segment.p_type != PT_NOTE) continue;
    const file_bytes notes = file(segment.p_offset, std::min<std::uint64_t>(segment.p_filesz, most_notes));
    if (std::string id = build_id_in(notes, segment.p_align); !id.empty()) return id;
  }
  return {};
}

/// `held` keeps the bytes that were read last.
reader reader_of(int fd, const std::string& path, std::vector<unsigned char>& held) {
  return [fd, &path, &held](std::uint64_t offset, std::size_t bytes) -> file_bytes {
    if (offset > static_cast<std::uint64_t>(INT64_MAX) - bytes) return {};
    held.resize(bytes);
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t n = pread(fd, held.data() + done, bytes - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) files::throw_io(path, "cannot be read");
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return file_bytes(held).first(done);
  };
}

}  // namespace

std::string build_id_of(std::span<const unsigned char> file) {
  return find_build_id([file](std::uint64_t offset, std::size_t bytes) {
    if (offset > file.size()) return file_bytes();
    return file.subspan(offset, std::min(bytes, file.size() - static_cast<std::size_t>(offset)));
  });
}

std::string build_id_of(int fd, const std::string& path) {
  std::vector<unsigned char> held;
  return find_build_id(reader_of(fd, path, held));
}

std::uint64_t loaded_bytes_of(int fd, const std::string& path) {
  std::vector<unsigned char> held;
  struct stat about{};
  if (fstat(fd, &about) != 0) files::throw_io(path, "cannot be examined");
  const auto all = static_cast<std::uint64_t>(about.st_size);
  std::uint64_t end = 0;
  for (const Elf64_Phdr& segment : segments_of(reader_of(fd, path, held)))
    if (segment.p_type == PT_LOAD && segment.p_offset < all)
      end = std::max(end, segment.p_offset + std::min(segment.p_filesz, all - segment.p_offset));
  constexpr std::uint64_t page = 4096;
  return std::min(all, (end + page - 1) / page * page);
}

}  // namespace mana::image
