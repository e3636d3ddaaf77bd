#include <runtime/files/path_walk.hpp>

#include <runtime/files/io_error.hpp>

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <deque>
#include <utility>

namespace mana::files {

namespace {

constexpr int path_only = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr unsigned most_links = 40;      // as in the kernel

bool all_can_write(const struct stat& about) noexcept { return (about.st_mode & S_IWOTH) != 0; }

class walker {
 public:
  walker(const std::string& path, bool make) : make_(make) {
    begin_at(path.starts_with('/') ? "/" : ".");
    put_before(path);
  }

  descriptor go() {
    while (!names_.empty()) {
      const std::string name = std::move(names_.front());
      names_.pop_front();
      step(name);
    }
    return std::move(at_);
  }

 private:
  void begin_at(const char* where) {
    at_.reset(open(where, path_only));
    path_ = where[0] == '/' ? "" : ".";
    if (!at_) throw_io(where, "cannot be opened");
  }

  void put_before(const std::string& path) {
    std::deque<std::string> parts;
    for (std::size_t begin = 0; begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string part = path.substr(begin, end - begin);
      if (!part.empty() && part != ".") parts.push_back(part);
      begin = end + 1;
    }
    names_.insert(names_.begin(), parts.begin(), parts.end());
  }

  void step(const std::string& name) {
    const std::string path = path_ + "/" + name;
    struct stat here{}, about{};
    if (fstat(at_.get(), &here) != 0) throw_io(path_, "cannot be examined");
    check_not_open_to_all(here, path_.empty() ? "/" : path_);
    if (fstatat(at_.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) throw_io(path, "cannot be examined");
      if (!make_) throw image_error(error_kind::missing, path + ": there is no such file or directory");
      make(name, path);
    } else if (S_ISLNK(about.st_mode)) {
      return follow(name, path, here, about);
    }
    descriptor next(openat(at_.get(), name.c_str(), path_only));
    if (!next) throw_io(path, "cannot be opened");
    at_ = std::move(next);
    path_ = path;
  }

  void make(const std::string& name, const std::string& path) {
    if (!make_directory_at(at_.get(), name.c_str(), path)) return;     // another rank has just made it
    const descriptor holder(openat(at_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (holder && fsync(holder.get()) != 0 && errno != EINVAL) throw_io(path, "cannot be made durable");
  }

  void follow(const std::string& name, const std::string& path, const struct stat& here, const struct stat& link) {
    if (all_can_write(here) && link.st_uid != geteuid() && link.st_uid != here.st_uid)
      throw image_error(error_kind::not_own, path + ": it is a symbolic link of user " + std::to_string(link.st_uid) +
                        " in a directory that all users can write to, and mana does not follow it; name a directory "
                        "of your own");
    if (++links_ > most_links) {
      errno = ELOOP;
      throw_io(path, "cannot be followed");
    }
    char target[PATH_MAX];
    const ssize_t n = readlinkat(at_.get(), name.c_str(), target, sizeof target);
    if (n < 0) throw_io(path, "cannot be followed");
    const std::string where(target, static_cast<std::size_t>(n));
    if (where.starts_with('/')) begin_at("/");
    put_before(where);
  }

  const bool make_;
  descriptor at_;
  std::string path_;                 // the path so far, for messages
  std::deque<std::string> names_;    // the names that remain
  unsigned links_ = 0;
};

}  // namespace

void check_not_open_to_all(const struct stat& directory, const std::string& path) {
  if (all_can_write(directory) && (directory.st_mode & S_ISVTX) == 0)
    throw image_error(error_kind::not_own, path + ": all users can rename and remove files in this directory; remove "
                                                  "that right (chmod o-w or chmod +t), or name another directory");
}

bool make_directory_at(int directory, const char* name, const std::string& path) {
  if (mkdirat(directory, name, 0700) != 0) {
    if (errno == EEXIST) return false;
    throw_io(path, "the directory cannot be made");
  }
  if (fchmodat(directory, name, 0700, 0) != 0) throw_io(path, "the directory cannot be given its rights");
  return true;
}

descriptor walk_to(const std::string& path, bool make) { return walker(path, make).go(); }

}  // namespace mana::files
