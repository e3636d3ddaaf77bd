#include <runtime/descriptors/files/nameless.hpp>

#include <runtime/descriptors/base/naming_turn.hpp>
#include <runtime/descriptors/base/proc_info.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

namespace mana::descriptors {

namespace {

std::string directory_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  return end == 0 || end == std::string::npos ? "/" : path.substr(0, end);
}

constexpr std::string_view own_prefix = "/.mana-", own_pattern = "/.mana-XXXXXX";

/// The name before an earlier restart put the file into a directory of mana's, because its name was taken.
std::string former_name(const std::string& path) {
  const std::string had = without_deleted(path), directory = directory_of(had);
  const std::size_t own = directory.rfind('/');
  const bool is_own = own != std::string::npos && directory.size() - own == own_pattern.size() &&
                      directory.compare(own, own_prefix.size(), own_prefix) == 0;
  return is_own ? directory.substr(0, own) + had.substr(directory.size()) : had;
}

/// A directory of mana's for the life of the object: beside the lost name, or else where temporary files go.
class own_directory {
 public:
  explicit own_directory(const std::vector<std::string>& places) {
    for (const std::string& place : places) {
      name_ = place + std::string(own_pattern);
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

std::string temporary_directory() {
  const char* const temporary = std::getenv("TMPDIR");
  return temporary != nullptr ? temporary : "/tmp";
}

std::vector<std::string> places_for(const std::string& path) { return {directory_of(path), temporary_directory()}; }

std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The name is removed at once: the descriptor keeps the file.     out: -1: errno says why
int file_under(const std::string& name) {
  const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) unlink(name.c_str());
  return fd;
}

int directory_under(const std::string& name) {
  if (mkdir(name.c_str(), 0700) != 0) return -1;
  const int fd = open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int error = errno;
  rmdir(name.c_str());
  errno = error;
  return fd;
}

int fifo_under(const std::string& name) {
  if (mkfifo(name.c_str(), 0600) != 0) return -1;
  const int fd = open(name.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  const int error = errno;
  unlink(name.c_str());
  errno = error;
  return fd;
}

/// Makes the file under its former name, which /proc then shows. If that is taken, in a directory of mana's.
template <class Make>
int make_in(const std::string& directory, const std::string& base, const Make& make) {
  const naming_turn turn(directory);
  const int fd = make(directory + "/" + base);
  if (fd >= 0 || errno != EEXIST) return fd;
  const own_directory own({directory});
  return own.made() ? make(own.name() + "/" + base) : -1;
}

int make_file_in(const std::string& directory, const std::string& base, bool may_be_named) {
  if (may_be_named)
    if (const int fd = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); fd >= 0) return fd;
  return make_in(directory, base, file_under);
}

template <class Make>
int make_first_that_can(const std::string& path, const Make& make) {
  const std::string had = former_name(path), base = base_of(had);
  for (const std::string& place : places_for(had))
    if (const int fd = make_in(place, base, make); fd >= 0) return fd;
  return -1;
}

}  // namespace

made_file make_nameless_file(const std::string& path, bool may_be_named) {
  const std::string had = former_name(path), base = base_of(had);
  for (const std::string& place : places_for(had))
    if (const int fd = make_file_in(place, base, may_be_named); fd >= 0)
      return {fd, place == directory_of(had) ? std::string() : "in " + place};
  return {memfd_create(base.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING), "in memory"};
}

int make_nameless_directory(const std::string& path, mode_t mode) {
  const int fd = make_first_that_can(path, directory_under);
  if (fd >= 0) fchmod(fd, mode);
  return fd;
}

int make_nameless_fifo(const std::string& path, mode_t mode) {
  const int fd = make_first_that_can(path, fifo_under);
  if (fd >= 0) fchmod(fd, mode);
  return fd;
}

bool is_hidden_rest(const std::string& path) {
  const std::string base = base_of(path);
  return base.starts_with(".nfs") || base.starts_with(".fuse_hidden");
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
