#include "reopen.hpp"

#include "anonymous.hpp"
#include "capture.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int status_flags = O_APPEND | O_NONBLOCK | O_ASYNC | O_DIRECT | O_NOATIME;   // that F_SETFL sets

bool for_writing(int flags) noexcept { return (flags & O_ACCMODE) != O_RDONLY; }

int open_by_name(const std::string& path, int flags) {
  return ::open(path.c_str(), (flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_NOCTTY | O_CLOEXEC);
}

void write_all(int fd, const json& row) {
  const auto& contents = row["contents"].get_binary();
  for (std::size_t done = 0; done < contents.size();) {
    const ssize_t n = write(fd, contents.data() + done, contents.size() - done);
    if (n <= 0) fail(row["path"], "its contents cannot be restored");
    done += static_cast<std::size_t>(n);
  }
}

/// Cut to its length at the checkpoint, so that what was written after it is not there twice.
int open_regular(const json& row) {
  const int flags = row["flags"];
  const std::string path = row["path"];
  const int fd = open_by_name(path, flags);
  if (fd < 0) fail(path, "cannot be opened");
  if ((flags & O_PATH) != 0) return fd;
  struct stat now{};
  fstat(fd, &now);
  const std::int64_t size = row["size"];
  if (now.st_size < size)
    throw descriptor_error(path + ": it has " + std::to_string(now.st_size) + " bytes, and had " +
                           std::to_string(size) + " at the checkpoint; put the file of that time back");
  if (for_writing(flags) && now.st_size > size && ftruncate(fd, size) != 0)
    fail(path, "cannot be cut to its length at the checkpoint");
  if (lseek(fd, row["offset"], SEEK_SET) < 0) fail(path, "cannot be positioned");
  return fd;
}

int open_unnamed(const json& row) {
  const int made = memfd_create("deleted", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made < 0) fail(row["path"], "a deleted file cannot be made again");
  write_all(made, row);
  // Opened once more for the access that the program had.
  const int flags = row["flags"];
  const int fd = open_by_name("/proc/self/fd/" + std::to_string(made), flags & ~(O_NOFOLLOW | O_DIRECTORY | O_TMPFILE));
  close(made);
  if (fd < 0) fail(row["path"], "a deleted file cannot be opened again");
  if ((flags & O_PATH) == 0) lseek(fd, row["offset"], SEEK_SET);
  return fd;
}

/// One end of a socket whose other end is closed: reads find the end, writes fail with EPIPE.
int open_lost() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) fail("a socket", "cannot be made");
  close(pair[1]);
  return pair[0];
}

/// A terminal of the old job may be gone.
int open_path(const json& row) {
  const std::string path = row["path"];
  const int fd = open_by_name(path, row["flags"]);
  if (fd < 0 && (path.rfind("/dev/pts/", 0) == 0 || path.rfind("/dev/tty", 0) == 0)) return open_lost();
  if (fd < 0) fail(path, "cannot be opened");
  const std::int64_t offset = row["offset"];
  if (offset > 0) lseek(fd, offset, SEEK_SET);
  return fd;
}

/// Opening one end would wait for the other, which may be the next to be opened here.
int open_fifo(const json& row) {
  const std::string path = row["path"];
  const int flags = row["flags"];
  const int meanwhile = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const int fd = open_by_name(path, flags | O_NONBLOCK);
  if (fd < 0) fail(path, "cannot be opened");
  if (meanwhile >= 0) close(meanwhile);
  fcntl(fd, F_SETFL, flags & status_flags);
  return fd;
}

}  // namespace

void fail(const std::string& path, const char* what) {
  throw descriptor_error(path + ": " + what + ": " + std::strerror(errno) +
                         "; the program had it open at the checkpoint");
}

int duplicate_from(int fd, int base) {
  const int made = fcntl(fd, F_DUPFD_CLOEXEC, base);
  if (made < 0) fail("a descriptor", "cannot be duplicated (is the limit of open files, ulimit -n, as it was?)");
  return made;
}

int reopener::moved(int fd) const {
  if (fd < 0) fail("a descriptor", "cannot be made again");
  const int made = duplicate_from(fd, base_);
  close(fd);
  return made;
}

int reopener::open(const json& row) {
  const std::string kind = row["kind"];
  if (kind == "regular") return moved(open_regular(row));
  if (kind == "unnamed") return moved(open_unnamed(row));
  if (kind == "path") return moved(open_path(row));
  if (kind == "fifo") return moved(open_fifo(row));
  if (kind == "pipe") return open_pipe_end(row);
  if (kind == "lost") return moved(open_lost());
  return moved(make_anonymous(row));
}

/// Both ends are made when the first is met.
int reopener::open_pipe_end(const json& row) {
  auto at = pipes_.find(row["inode"].get<std::uint64_t>());
  if (at == pipes_.end()) {
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0) fail("a pipe", "cannot be made again");
    fcntl(pair[1], F_SETPIPE_SZ, row["capacity"].get<int>());
    const int read = moved(pair[0]);
    at = pipes_.insert({row["inode"].get<std::uint64_t>(), {read, moved(pair[1])}}).first;
  }
  if (row.contains("contents")) write_all(at->second.write, row);
  const int fd = duplicate_from(row["write_end"].get<bool>() ? at->second.write : at->second.read, base_);
  fcntl(fd, F_SETFL, row["flags"].get<int>() & status_flags);
  return fd;
}

reopener::~reopener() {
  for (const auto& [inode, pair] : pipes_) {
    close(pair.read);
    close(pair.write);
  }
}

}  // namespace mana::descriptors
