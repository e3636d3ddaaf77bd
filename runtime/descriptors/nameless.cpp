#include "nameless.hpp"

#include "proc_info.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace mana::descriptors {

namespace {

std::string directory_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  return end == 0 || end == std::string::npos ? "/" : path.substr(0, end);
}

/// A directory of our own while one lives: beside the lost name, or else where temporary files go.
class own_directory {
 public:
  explicit own_directory(const std::string& path) {
    const char* const temporary = std::getenv("TMPDIR");
    for (const std::string& place : {directory_of(path), std::string(temporary != nullptr ? temporary : "/tmp")}) {
      name_ = place + "/.mana-XXXXXX";
      made_ = mkdtemp(name_.data()) != nullptr;
      if (made_) return;
    }
  }
  ~own_directory() {
    const int error = errno;
    if (made_) rmdir(name_.c_str());
    errno = error;
  }
  own_directory(const own_directory&) = delete;
  own_directory& operator=(const own_directory&) = delete;

  bool made() const noexcept { return made_; }
  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
  bool made_ = false;
};

}  // namespace

int make_nameless_file(const std::string& path) {
  const int made = open(directory_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return made >= 0 ? made : memfd_create("deleted", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int make_nameless_directory(const std::string& path, mode_t mode) {
  const own_directory own(path);
  if (!own.made()) return -1;
  const int fd = open(own.name().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) fchmod(fd, mode);
  return fd;
}

int make_nameless_fifo(const std::string& path, mode_t mode) {
  const own_directory own(path);
  const std::string name = own.name() + "/fifo";
  if (!own.made() || mkfifo(name.c_str(), 0600) != 0) return -1;
  const int fd = open(name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0) fchmod(fd, mode);
  unlink(name.c_str());
  return fd;
}

std::string other_name(const std::string& path, const struct stat& s) {
  const std::string directory = directory_of(path);
  DIR* const all = s.st_nlink > 0 ? opendir(directory.c_str()) : nullptr;
  std::string found;
  while (const dirent* const entry = all != nullptr && found.empty() ? readdir(all) : nullptr) {
    const std::string name = directory + "/" + entry->d_name;
    if (entry->d_ino == s.st_ino && still_named(name, s)) found = name;
  }
  if (all != nullptr) closedir(all);
  return found;
}

}  // namespace mana::descriptors
