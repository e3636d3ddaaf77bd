#include "capture.hpp"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

using nlohmann::json;

namespace mana::descriptors {

namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw descriptor_error(path + ": " + what + ": " + std::strerror(errno) + "; the program had it open at the checkpoint");
}

bool for_writing(int flags) noexcept { return (flags & O_ACCMODE) != O_RDONLY; }

void write_all(int fd, const json& row) {
  const auto& contents = row["contents"].get_binary();
  for (std::size_t done = 0; done < contents.size();) {
    const ssize_t n = write(fd, contents.data() + done, contents.size() - done);
    if (n <= 0) fail(row["path"], "its contents cannot be restored");
    done += static_cast<std::size_t>(n);
  }
}

int open_regular(const json& row) {
  const int flags = row["flags"];
  const std::string path = row["path"];
  const int fd = open(path.c_str(), flags & ~(O_CREAT | O_EXCL | O_TRUNC));
  if (fd < 0) fail(path, "cannot be opened");
  struct stat now{};
  fstat(fd, &now);
  const std::int64_t size = row["size"];
  if (now.st_size < size)
    throw descriptor_error(path + ": it has " + std::to_string(now.st_size) + " bytes, and had " + std::to_string(size) +
                           " at the checkpoint; put the file of that time back");
  if (for_writing(flags) && now.st_size > size && ftruncate(fd, size) != 0) fail(path, "cannot be cut to its length at the checkpoint");
  if (lseek(fd, row["offset"], SEEK_SET) < 0) fail(path, "cannot be positioned");
  return fd;
}

int open_unnamed(const json& row) {
  const int fd = memfd_create("deleted", 0);
  if (fd < 0) fail(row["path"], "a deleted file cannot be made again");
  write_all(fd, row);
  lseek(fd, row["offset"], SEEK_SET);
  return fd;
}

int open_path(const json& row) {
  const std::string path = row["path"];
  const int fd = open(path.c_str(), row["flags"].get<int>() & ~(O_CREAT | O_EXCL | O_TRUNC));
  if (fd < 0) fail(path, "cannot be opened");
  lseek(fd, row.value("offset", 0), SEEK_SET);
  return fd;
}

/// One end of a socket whose other end is closed: reads find the end, writes fail with EPIPE.
int open_lost() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) fail("a socket", "cannot be made");
  close(pair[1]);
  return pair[0];
}

class restorer {
 public:
  /// Moves the new descriptor to the number that the program knows it by.
  void place(int made, const json& row) {
    const int wanted = row["fd"];
    const int flags = row["close_on_exec"].get<bool>() ? O_CLOEXEC : 0;
    if (made == wanted) {
      fcntl(made, F_SETFD, flags != 0 ? FD_CLOEXEC : 0);
      return;
    }
    if (dup3(made, wanted, flags) < 0) fail(row.value("path", "a descriptor"), "cannot be put at its number");
    close(made);
  }

  void restore_row(const json& row) {
    const int number = row["fd"];
    const std::uint64_t file = row["file"];
    const int standard = row["standard"];
    held_.push_back({number, file, standard, row["inherited"]});
    if (standard >= 0) {
      if (number != standard) place(dup_high(standard), row);
      return;
    }
    if (const auto first = first_of_file_.find(file); first != first_of_file_.end()) return place(dup_high(first->second), row);
    place(open_again(row), row);
    first_of_file_[file] = number;
  }

  void watch_again(const json& rows) {
    for (const json& row : rows) {
      if (row.value("kind", "") != "epoll") continue;
      for (const json& w : row["watched"]) {
        epoll_event event{};
        event.events = w["events"];
        event.data.u64 = w["data"];
        epoll_ctl(row["fd"], EPOLL_CTL_ADD, w["fd"], &event);   // a descriptor that was lost is not watched
      }
    }
  }
  const std::vector<owned_descriptor>& held() const noexcept { return held_; }

 private:
  /// A number above all that are still to be placed.
  static int dup_high(int fd) {
    const int made = fcntl(fd, F_DUPFD, 256);
    if (made < 0) fail("a descriptor", "cannot be duplicated");
    return made;
  }
  static int high(int fd) {
    const int made = dup_high(fd);
    close(fd);
    return made;
  }

  int open_again(const json& row) {
    const std::string kind = row["kind"];
    if (kind == "regular") return high(open_regular(row));
    if (kind == "unnamed") return high(open_unnamed(row));
    if (kind == "path") return high(open_path(row));
    if (kind == "eventfd") return high(open_eventfd(row));
    if (kind == "epoll") return high(epoll_create1(0));
    if (kind == "pipe") return open_pipe_end(row);
    return high(open_lost());
  }

  static int open_eventfd(const json& row) {
    const int fd = eventfd(0, row["flags"].get<int>() & O_NONBLOCK);
    const std::uint64_t count = row["count"];
    if (fd < 0 || (count != 0 && write(fd, &count, sizeof count) != static_cast<ssize_t>(sizeof count))) fail("an eventfd", "cannot be made again");
    return fd;
  }

  /// Both ends are made when the first is met; the other waits at a high number.
  int open_pipe_end(const json& row) {
    const std::uint64_t inode = row["inode"];
    auto at = pipes_.find(inode);
    if (at == pipes_.end()) {
      int ends[2];
      if (pipe2(ends, 0) != 0) fail("a pipe", "cannot be made again");
      at = pipes_.insert({inode, {high(ends[0]), high(ends[1])}}).first;
    }
    const bool write_end = row["write_end"];
    const int fd = write_end ? at->second.second : at->second.first;
    if (row.contains("contents")) write_all(at->second.second, row);
    fcntl(fd, F_SETFL, row["flags"].get<int>() & O_NONBLOCK);
    return dup_high(fd);
  }

 public:
  ~restorer() {
    for (const auto& [inode, ends] : pipes_) {
      close(ends.first);
      close(ends.second);
    }
  }

 private:
  std::vector<owned_descriptor> held_;
  std::map<std::uint64_t, int> first_of_file_;
  std::map<std::uint64_t, std::pair<int, int>> pipes_;
};

}  // namespace

void restore(std::span<const std::uint8_t> bytes) {
  try {
    const json document = json::from_cbor(bytes.begin(), bytes.end());
    umask(document["umask"].get<mode_t>());
    restorer r;
    for (const json& row : document["descriptors"]) r.restore_row(row);
    r.watch_again(document["descriptors"]);
    begin_with(r.held());
  } catch (const json::exception& error) {
    throw descriptor_error(std::string("the image's list of descriptors is damaged: ") + error.what());
  }
}

}  // namespace mana::descriptors
