#include "capture.hpp"

#include "anonymous.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <map>
#include <set>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr long message_queue_magic = 0x19800202;   // of the file system "mqueue": no header names it

json::binary_t contents_of(int fd, std::int64_t size) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(size));
  // Through /proc: the program's own descriptor may be for writing only.
  const int own = open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC);
  std::size_t done = 0;
  while (own >= 0 && done < all.size()) {
    const ssize_t n = pread(own, all.data() + done, all.size() - done, static_cast<off_t>(done));
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  if (own >= 0) close(own);
  all.resize(done);
  return json::binary_t(std::move(all));
}

/// What is in a pipe, without taking it out.
json::binary_t pipe_contents(int read_end) {
  int n = 0;
  int copy[2];
  if (ioctl(read_end, FIONREAD, &n) != 0 || n <= 0 || pipe2(copy, O_CLOEXEC | O_NONBLOCK) != 0) return {};
  fcntl(copy[1], F_SETPIPE_SZ, fcntl(read_end, F_GETPIPE_SZ));
  const ssize_t got = tee(read_end, copy[1], static_cast<std::size_t>(n), SPLICE_F_NONBLOCK);
  std::vector<std::uint8_t> all(static_cast<std::size_t>(got > 0 ? got : 0));
  std::size_t done = 0;
  while (done < all.size()) {
    const ssize_t part = read(copy[0], all.data() + done, all.size() - done);
    if (part <= 0) break;
    done += static_cast<std::size_t>(part);
  }
  close(copy[0]);
  close(copy[1]);
  all.resize(done);
  return json::binary_t(std::move(all));
}

/// Launchers leave ends of their own sockets and pipes open in the programs that they start.
bool is_launchers(int fd) {
  struct stat s{};
  return fstat(fd, &s) == 0 && (S_ISSOCK(s.st_mode) || S_ISFIFO(s.st_mode));
}

/// False: the file was deleted, or what bears its name now is another.
bool still_named(const std::string& path, const struct stat& s) {
  struct stat now{};
  return stat(path.c_str(), &now) == 0 && now.st_dev == s.st_dev && now.st_ino == s.st_ino;
}

/// This process's entry in /proc, as the process of a restart finds its own.
std::string of_any_process(const std::string& path) {
  const std::string own = "/proc/" + std::to_string(getpid()) + "/";
  return path.rfind(own, 0) == 0 ? "/proc/self/" + path.substr(own.size()) : path;
}

struct pipe_ends { int read = -1, write = -1; };

class describer {
 public:
  explicit describer(std::vector<owned_descriptor> all) : all_(std::move(all)) {
    for (const owned_descriptor& d : all_) {
      struct stat s{};
      if (fstat(d.number, &s) != 0 || !S_ISFIFO(s.st_mode)) continue;
      const int mode = fcntl(d.number, F_GETFL) & O_ACCMODE;
      (mode == O_RDONLY ? pipes_[s.st_ino].read : pipes_[s.st_ino].write) = d.number;
    }
  }

  json describe() {
    json list = json::array();
    std::set<std::uint64_t> seen;
    for (const owned_descriptor& d : all_) {
      if (fcntl(d.number, F_GETFD) < 0) continue;      // closed by a call that no trap sees
      if (d.inherited && d.standard < 0 && is_launchers(d.number)) continue;
      json row = {{"fd", d.number}, {"file", d.file}, {"standard", d.standard}, {"inherited", d.inherited},
                  {"close_on_exec", (fcntl(d.number, F_GETFD) & FD_CLOEXEC) != 0}};
      if (d.standard < 0 && seen.insert(d.file).second) row.update(describe_file(d.number));
      list.push_back(std::move(row));
    }
    return list;
  }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }
  std::vector<std::string> take_sockets() { return std::move(sockets_); }

 private:
  json describe_file(int fd) {
    struct stat s{};
    fstat(fd, &s);
    json row = {{"flags", fcntl(fd, F_GETFL)}, {"path", target_of(fd)}};
    if (S_ISREG(s.st_mode)) return regular(fd, s, std::move(row));
    if (S_ISDIR(s.st_mode) || S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode)) {
      row["kind"] = "path";
      row["path"] = of_any_process(row["path"]);
      row["offset"] = lseek(fd, 0, SEEK_CUR);
      return row;
    }
    if (S_ISFIFO(s.st_mode)) return fifo(fd, s, std::move(row));
    return describe_anonymous(fd, row) ? row : lost(fd, std::move(row));
  }

  json regular(int fd, const struct stat& s, json row) {
    struct statfs system{};
    if (fstatfs(fd, &system) == 0 && system.f_type == message_queue_magic) return lost(fd, std::move(row));
    row["offset"] = lseek(fd, 0, SEEK_CUR);
    row["size"] = s.st_size;
    if (!info_of(fd, "lock").empty()) warn(fd, row, "is locked: after a restart its locks are not held");
    const std::string path = row["path"];
    if (system.f_type == PROC_SUPER_MAGIC || still_named(path, s)) {
      row["path"] = of_any_process(path);
      row["kind"] = system.f_type == PROC_SUPER_MAGIC ? "path" : "regular";
      return row;
    }
    if (s.st_size > max_kept_bytes) return lost(fd, std::move(row));
    row["kind"] = "unnamed";
    row["contents"] = json::binary(contents_of(fd, s.st_size));
    return row;
  }

  json fifo(int fd, const struct stat& s, json row) {
    const std::string path = row["path"];
    if (path.rfind("pipe:", 0) != 0) {
      row["kind"] = "fifo";
      return row;
    }
    const pipe_ends ends = pipes_[s.st_ino];
    if (ends.read < 0 || ends.write < 0) return lost(fd, std::move(row));
    row["kind"] = "pipe";
    row["inode"] = s.st_ino;
    row["capacity"] = fcntl(fd, F_GETPIPE_SZ);
    row["write_end"] = (row["flags"].get<int>() & O_ACCMODE) != O_RDONLY;
    if (!row["write_end"] && read_pipes_.insert(s.st_ino).second)
      row["contents"] = json::binary(pipe_contents(ends.read));
    return row;
  }

  void warn(int fd, const json& row, const char* what) {
    const bool socket = row["path"].get_ref<const std::string&>().starts_with("socket:");
    auto& list = socket ? sockets_ : warnings_;
    list.push_back("descriptor " + std::to_string(fd) + " (" + row["path"].get<std::string>() + ") " + what);
  }

  json lost(int fd, json row) {
    row["kind"] = "lost";
    warn(fd, row, "is not saved: after a restart it is as if the other side had closed it");
    return row;
  }

  std::vector<owned_descriptor> all_;
  std::map<ino_t, pipe_ends> pipes_;
  std::set<ino_t> read_pipes_;                         // whose contents are kept
  std::vector<std::string> warnings_, sockets_;
};

mode_t current_umask() noexcept {
  const mode_t mask = umask(077);
  umask(mask);
  return mask;
}

}  // namespace

captured capture() {
  describer d(held());
  const json document = {{"umask", current_umask()}, {"descriptors", d.describe()}};
  return {json::to_cbor(document), d.take_warnings(), d.take_sockets()};
}

}  // namespace mana::descriptors
