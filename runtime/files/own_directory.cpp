#include <runtime/files/own_directory.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/files/path_walk.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

namespace mana::files {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw image_error(error_kind::not_own, path + ": " + what);
}

const char* kind_of(mode_t mode) noexcept {
  if (S_ISLNK(mode)) return "a symbolic link, which mana does not follow";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISREG(mode)) return "a file";
  return "a device or a socket";
}

void check_owner(const struct stat& about, const std::string& path) {
  if (about.st_uid != geteuid())
    refuse(path, "it belongs to user " + std::to_string(about.st_uid) + ", and you are user " +
                     std::to_string(geteuid()) + "; only the owner may use a checkpoint: name a directory of your own");
}

void check_directory(const struct stat& about, const std::string& path) {
  if (!S_ISDIR(about.st_mode)) refuse(path, std::string("it is ") + kind_of(about.st_mode) + " in place of a directory");
  check_owner(about, path);
  check_not_open_to_all(about, path);
}

void check_file(const struct stat& about, const std::string& path) {
  if (!S_ISREG(about.st_mode)) refuse(path, std::string("it is ") + kind_of(about.st_mode) + " in place of a file");
  check_owner(about, path);
  if (about.st_nlink != 1)
    refuse(path, "the file has " + std::to_string(about.st_nlink) + " names (hard links), and could be changed by "
                                                                    "another one; replace the file by a copy");
  if ((about.st_mode & S_IWOTH) != 0) refuse(path, "all users can write to it; remove that right: chmod o-w");
}

/// The entry of a name, without following a link.     errors: image_error (missing, io)
struct stat look(int directory, const char* name, const std::string& path) {
  struct stat about{};
  if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0) return about;
  if (errno == ENOENT) throw image_error(error_kind::missing, path + ": there is no such file or directory");
  throw_io(path, "cannot be examined");
}

/// Opens a directory after a look at it: the result is the same directory, or one that has replaced it since.
descriptor open_directory_at(int directory, const char* name, const std::string& path) {
  check_directory(look(directory, name, path), path);
  descriptor fd(openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about{};
  if (!fd || fstat(fd.get(), &about) != 0) throw_io(path, "cannot be opened");
  check_directory(about, path);
  return fd;
}

}  // namespace

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

own_directory own_directory::walk(const std::string& path, bool make) {
  const descriptor found = walk_to(path, make);
  return {open_directory_at(found.get(), ".", path), path};
}

own_directory own_directory::open(const std::string& path) { return walk(path, false); }
own_directory own_directory::make(const std::string& path) { return walk(path, true); }
own_directory own_directory::at(const std::string& path) { return {open_directory_at(AT_FDCWD, path.c_str(), path), path}; }

own_directory own_directory::open_directory(const std::string& name) const {
  return {open_directory_at(fd_.get(), name.c_str(), path_of(name)), path_of(name)};
}

own_directory own_directory::make_directory(const std::string& name) const {
  if (!make_directory_at(fd_.get(), name.c_str(), path_of(name))) {
    errno = EEXIST;
    throw_io(path_of(name), "the directory cannot be made");
  }
  return open_directory(name);
}

descriptor own_directory::open_file(const std::string& name) const {
  const std::string path = path_of(name);
  check_file(look(fd_.get(), name.c_str(), path), path);
  descriptor fd(openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd && errno == ENOENT) throw image_error(error_kind::missing, path + ": there is no such file or directory");
  struct stat about{};
  if (!fd || fstat(fd.get(), &about) != 0) throw_io(path, "cannot be opened");
  check_file(about, path);
  return fd;
}

descriptor own_directory::make_file(const std::string& name) const {
  descriptor fd(openat(fd_.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) throw_io(path_of(name), "cannot be created");
  if (fchmod(fd.get(), 0600) == 0) return fd;      // the umask may have taken away the owner's rights
  const int error = errno;
  remove(name);
  errno = error;
  throw_io(path_of(name), "cannot be made readable for its owner alone");
}

descriptor own_directory::open_or_make_file(const std::string& name) const {
  descriptor fd(openat(fd_.get(), name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!fd && errno == ELOOP) refuse(path_of(name), "it is a symbolic link in place of a file");
  struct stat about{};
  if (!fd || fstat(fd.get(), &about) != 0) throw_io(path_of(name), "cannot be opened");
  check_file(about, path_of(name));
  return fd;
}

std::string own_directory::read_file(const std::string& name, std::uint64_t most) const {
  const descriptor fd = open_file(name);
  std::string bytes;
  for (std::size_t part = 1u << 16;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + part);
    ssize_t n = 0;
    do n = ::read(fd.get(), bytes.data() + before, part);
    while (n < 0 && errno == EINTR);
    if (n < 0) throw_io(path_of(name), "cannot be read");
    bytes.resize(before + static_cast<std::size_t>(n));
    if (n == 0) return bytes;
    if (bytes.size() > most)
      throw image_error(error_kind::damaged, path_of(name) + ": it has more than " + std::to_string(most) + " bytes");
  }
}

namespace {

void write_all(int fd, const std::string& bytes, const std::string& path) {
  // A write beyond the limit would raise SIGXFSZ, whose action belongs to the program.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes.size() > limit.rlim_cur) {
    errno = EFBIG;
    throw_io(path, "cannot be written");
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw_io(path, "cannot be written");
    done += static_cast<std::size_t>(n);
  }
}

void make_durable(int fd, const std::string& path) {
  int rc = 0;
  do rc = fsync(fd);
  while (rc != 0 && errno == EINTR);
  if (rc != 0) throw_io(path, "cannot be made durable");
}

}  // namespace

void own_directory::write_file(const std::string& name, const std::string& bytes) const {
  descriptor fd = make_file(name);
  try {
    write_all(fd.get(), bytes, path_of(name));
    make_durable(fd.get(), path_of(name));
    if (close(fd.release()) != 0) throw_io(path_of(name), "cannot be closed");
  } catch (const image_error&) {
    remove(name);
    throw;
  }
}

std::uint64_t own_directory::file_bytes(const std::string& name) const {
  const struct stat about = look(fd_.get(), name.c_str(), path_of(name));
  check_file(about, path_of(name));
  return static_cast<std::uint64_t>(about.st_size);
}

bool own_directory::has(const std::string& name) const {
  struct stat about{};
  if (fstatat(fd_.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno == ENOENT) return false;
  throw_io(path_of(name), "cannot be examined");
}

bool own_directory::has_directory(const std::string& name) const {
  struct stat about{};
  if (fstatat(fd_.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) return S_ISDIR(about.st_mode);
  if (errno == ENOENT) return false;
  throw_io(path_of(name), "cannot be examined");
}

std::vector<std::string> own_directory::names() const {
  const int fd = openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fd < 0 ? nullptr : fdopendir(fd), closedir);
  if (!entries) throw_io(path_, "cannot be listed");
  std::vector<std::string> found;
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(entries.get());
    if (entry == nullptr && errno != 0) throw_io(path_, "cannot be listed");
    if (entry == nullptr) return found;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") found.push_back(name);
  }
}

void own_directory::rename(const std::string& from, const std::string& to) const {
  if (renameat(fd_.get(), from.c_str(), fd_.get(), to.c_str()) != 0) throw_io(path_of(to), "cannot be put in its place");
}

bool own_directory::remove(const std::string& name) const noexcept { return unlinkat(fd_.get(), name.c_str(), 0) == 0; }

bool own_directory::remove_directory(const std::string& name) const noexcept {
  return unlinkat(fd_.get(), name.c_str(), AT_REMOVEDIR) == 0;
}

void own_directory::sync() const { make_durable(fd_.get(), path_); }

descriptor open_own_file(const std::string& path) { return own_directory::at(directory_of(path)).open_file(name_of(path)); }

}  // namespace mana::files
