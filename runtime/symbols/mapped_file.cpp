#include <runtime/symbols/mapped_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mana::symbols {

mapped_file::mapped_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat found {};
  if (fd >= 0 && ::fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0) {
    const auto size = static_cast<std::size_t>(found.st_size);
    void* const got = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (got != MAP_FAILED) {
      begin_ = got;
      size_ = size;
    }
  }
  if (fd >= 0) ::close(fd);
}

mapped_file::~mapped_file() {
  if (begin_ != nullptr) ::munmap(begin_, size_);
}

}  // namespace mana::symbols
