#include <runtime/job/program_identity.hpp>

#include <runtime/image/format/build_id.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <system_error>

namespace mana::job {

namespace {

using file_bytes = std::span<const unsigned char>;

/// Maps a file for reading, while the object lives.
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

std::string hex(file_bytes bytes) {
  std::string text;
  char two[3];
  for (const unsigned char b : bytes) {
    std::snprintf(two, sizeof two, "%02x", b);
    text += two;
  }
  return text;
}

}  // namespace

std::string program_identity(const std::string& path) {
  const mapped_file file(path);
  const file_bytes bytes = file.bytes();
  if (const std::string id = image::build_id_of(bytes); !id.empty()) return id;
  const XXH64_hash_t sum = XXH3_64bits(bytes.data(), bytes.size());
  unsigned char digits[sizeof sum];
  std::memcpy(digits, &sum, sizeof sum);
  return "sum:" + hex(digits);
}

}  // namespace mana::job
