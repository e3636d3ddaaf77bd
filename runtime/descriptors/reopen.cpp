#include <runtime/descriptors/reopen.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/base/proc_info.hpp>
#include <runtime/descriptors/kinds/anonymous.hpp>
#include <runtime/descriptors/kinds/message_queues.hpp>
#include <runtime/descriptors/kinds/watches.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int creating_flags = O_CREAT | O_EXCL | O_TRUNC;

bool for_writing(int flags) noexcept { return (flags & O_ACCMODE) != O_RDONLY; }

int open_by_name(const std::string& path, int flags) {
  return ::open(path.c_str(), (flags & ~creating_flags) | O_NOCTTY | O_CLOEXEC);
}

/// Cuts the file to its length at the checkpoint, so that the program does not write the same part twice.
int open_regular(const json& row) {
  const int flags = row.at("flags").get<int>() & ~O_TMPFILE;   // the file has got a name since
  const std::string path = row.at("path");
  const int fd = open_by_name(path, flags);
  if (fd < 0) fail(path, "cannot be opened");
  if ((flags & O_PATH) != 0) return fd;
  struct stat now{};
  fstat(fd, &now);
  const std::int64_t size = row.at("size");
  if (now.st_size < size)
    throw descriptor_error(path + ": it has " + std::to_string(now.st_size) + " bytes, and had " +
                           std::to_string(size) + " at the checkpoint; put the file of that time back");
  if (for_writing(flags) && now.st_size > size && ftruncate(fd, size) != 0)
    fail(path, "cannot be cut to its length at the checkpoint");
  if (lseek(fd, row.at("offset"), SEEK_SET) < 0) fail(path, "cannot be positioned");
  return fd;
}

/// One end of a socket whose other end is closed: a read finds the end, a write fails with EPIPE.
int open_lost() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) fail("a socket", "cannot be made");
  close(pair[1]);
  return pair[0];
}

/// A terminal of the old job may be gone.
int open_path(const json& row) {
  const std::string path = row.at("path");
  const int fd = open_by_name(path, row.at("flags"));
  if (fd < 0 && (path.starts_with("/dev/pts/") || path.starts_with("/dev/tty"))) return open_lost();
  if (fd < 0) fail(path, "cannot be opened");
  const std::int64_t offset = row.at("offset");
  if (offset > 0) lseek(fd, offset, SEEK_SET);
  return fd;
}

}  // namespace

/// The first open file of memfd_create does not count as open for writing, so that the file can be executed. Every
/// later opening does count. So the first open file that can be the original becomes the original.
int reopener::open_object(const json& row) {
  const int flags = row.at("flags").get<int>() & ~(creating_flags | O_NOFOLLOW | (O_TMPFILE & ~O_DIRECTORY));
  const int object = objects_.descriptor(row.at("object"));
  const bool is_memory = row.at("path").get<std::string>().starts_with("/memfd:");
  if (is_memory && (flags & (O_ACCMODE | O_PATH)) == O_RDWR && first_of_memory_.insert(object).second) {
    const int first = fcntl(object, F_DUPFD_CLOEXEC, 0);
    if (first < 0 || fcntl(first, F_SETFL, flags & settable_flags) != 0) fail(row.at("path"), "cannot be opened again");
    lseek(first, row.at("offset"), SEEK_SET);
    return first;
  }
  struct stat s{};
  fstat(object, &s);
  const int as_is = S_ISDIR(s.st_mode) ? flags : flags & ~O_DIRECTORY;
  int fd = open_again(object, as_is);
  if (fd < 0 && errno == EINVAL) fd = open_again(object, as_is & ~O_DIRECT);   // memory replaces a file
  if (fd < 0) fail(row.at("path"), "a file without a name cannot be opened again");
  if ((flags & O_PATH) == 0) lseek(fd, row.at("offset"), SEEK_SET);
  return fd;
}

int reopener::open(const json& row) {
  const std::string kind = row.at("kind");
  if (kind == "pipe") return pipes_.open(row);
  if (kind == "socket") return sockets_.open(row);
  if (kind == "terminal") return terminals_.open(row);
  if (kind == "object") return spare_.move(open_object(row));
  if (kind == "regular") return spare_.move(open_regular(row));
  if (kind == "path") return spare_.move(open_path(row));
  if (kind == "lost") return spare_.move(open_lost());
  if (kind == "epoll") return spare_.move(epoll_create1(EPOLL_CLOEXEC));
  if (kind == "inotify") return spare_.move(watch_files(row));
  if (kind == "message queue") return spare_.move(open_message_queue(row));
  return spare_.move(make_anonymous(row));
}

}  // namespace mana::descriptors
