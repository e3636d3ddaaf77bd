#include <runtime/tools/text/new_file.hpp>

#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/interruption.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace mana::tools {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* what) {
  const int error = errno;
  if (error == EEXIST)
    throw failure(exit_status::usage, path + ": this file exists, and mana overwrites nothing", "name another file");
  throw failure(exit_status::directory_unwritable, fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

void require_nothing(const std::string& path) {
  struct stat about{};
  if (::lstat(path.c_str(), &about) != 0) return;
  errno = EEXIST;
  refuse(path, "cannot be made");
}

std::string part_of(const std::string& path) {
  const std::string bare = path.substr(0, path.find_last_not_of('/') + 1);
  return fmt::format("{}.part-{}", bare.empty() ? path : bare, ::getpid());
}

/// Never replaces an existing file. Some file systems cannot check and rename in one step.
bool rename_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
  if (errno == EEXIST) return false;
  require_nothing(to);                  // a directory, or a file system without hard links
  return ::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

new_file::new_file(std::string path) : path_(std::move(path)), part_(part_of(path_)) {
  require_nothing(path_);
  fd_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd_ < 0) refuse(path_, "cannot be made");
}

new_file::~new_file() {
  ::close(fd_);
  if (!finished_) ::unlink(part_.c_str());
}

void new_file::fail(const char* what) const { refuse(path_, what); }

void new_file::write(std::uint64_t at, std::span<const char> bytes) {
  interruption::check();
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot be written");
    done += static_cast<std::size_t>(n);
  }
}

void new_file::finish(std::uint64_t size) {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) fail("cannot be written");
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail("cannot be made durable");
  if (!rename_new(part_, path_)) fail("cannot be made");
  finished_ = true;
}

new_directory::new_directory(std::string path) : path_(std::move(path)), part_(part_of(path_)) {
  require_nothing(path_);
  if (::mkdir(part_.c_str(), 0700) != 0) refuse(path_, "cannot be made");
}

new_directory::~new_directory() {
  std::error_code ignored;
  if (!finished_) std::filesystem::remove_all(part_, ignored);
}

void new_directory::finish() {
  if (!rename_new(part_, path_)) refuse(path_, "cannot be made");
  finished_ = true;
}

}  // namespace mana::tools
