#include "new_file.hpp"

#include "failure.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace mana::tools {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* what) {
  const int error = errno;
  if (error == EEXIST)
    throw failure(exit_code::usage, path + ": is there already, and is not written over", "give another name");
  throw failure(exit_code::directory_unwritable, fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

}  // namespace

new_file::new_file(std::string path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) {
  if (fd_ < 0) refuse(path_, "cannot be made");
}

new_file::~new_file() {
  ::close(fd_);
  if (!finished_) ::unlink(path_.c_str());
}

void new_file::fail(const char* what) const { refuse(path_, what); }

void new_file::write(std::uint64_t at, std::span<const char> bytes) {
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
  finished_ = true;
}

void make_new_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) refuse(path, "cannot be made");
}

}  // namespace mana::tools
