#include <runtime/descriptors/kinds/pipes.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/files/nameless.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <climits>

using nlohmann::json;

namespace mana::descriptors {

namespace {

/// Both ends of a pipe of mana's.
struct own_pipe {
  explicit own_pipe(int bytes) {
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) fcntl(ends[1], F_SETPIPE_SZ, bytes);
  }
  ~own_pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  own_pipe(const own_pipe&) = delete;
  own_pipe& operator=(const own_pipe&) = delete;
  int ends[2] = {-1, -1};
};

/// The contents of a pipe, a part for each of its buffers. They stay in the pipe: tee duplicates them, and the copies
/// move one by one through a pipe with a single buffer. bytes: of all parts
json parts_of(int read_end, int bytes) {
  const own_pipe copy(fcntl(read_end, F_GETPIPE_SZ)), single(1);
  json parts = json::array();
  for (ssize_t left = tee(read_end, copy.ends[1], INT_MAX, SPLICE_F_NONBLOCK); left > 0;) {
    const ssize_t n =
        splice(copy.ends[0], nullptr, single.ends[1], nullptr, static_cast<std::size_t>(left), SPLICE_F_NONBLOCK);
    std::vector<std::uint8_t> part(static_cast<std::size_t>(n > 0 ? n : 0));
    if (n <= 0 || read(single.ends[0], part.data(), part.size()) != n) break;
    parts.push_back(json::binary(std::move(part)));
    left -= n;
    bytes -= static_cast<int>(n);
  }
  return bytes == 0 ? parts : json();
}

bool has_event(int fd, short event) noexcept {
  pollfd asked{fd, 0, 0};   // poll reports errors and ends unasked
  return poll(&asked, 1, 0) == 1 && (asked.revents & event) != 0;
}

void write_parts(int fd, const json& row) {
  for (const json& part : row.at("parts")) {
    const auto& bytes = part.get_binary();
    if (write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      fail(row.at("path"), "what was in this pipe cannot be written into it again");
  }
}

file_key key_in(const json& row) { return {row.at("inode").at(0), row.at("inode").at(1)}; }

}  // namespace

pipe_describer::pipe_describer(const std::vector<owned_descriptor>& all) {
  for (const owned_descriptor& d : all) {
    struct stat s{};
    if (fstat(d.number, &s) != 0 || !S_ISFIFO(s.st_mode)) continue;
    const int mode = fcntl(d.number, F_GETFL) & (O_ACCMODE | O_PATH);
    if (mode == O_RDONLY || mode == O_RDWR) ends_[key_of(s)].read = d.number;
    if (mode == O_WRONLY || mode == O_RDWR) ends_[key_of(s)].write = d.number;
  }
}

json pipe_describer::describe(int fd, const struct stat& s, json row, report& said) {
  const std::string path = row.at("path");
  const ends e = ends_[key_of(s)];
  row["kind"] = "pipe";
  row["inode"] = {s.st_dev, s.st_ino};
  row["name"] = path[0] != '/' ? "none" : still_named(path, s) ? "here" : "gone";
  row["mode"] = s.st_mode & 07777;
  row["capacity"] = fcntl(fd, F_GETPIPE_SZ);
  row["packets"] = ((fcntl(e.read, F_GETFL) | fcntl(e.write < 0 ? e.read : e.write, F_GETFL)) & O_DIRECT) != 0;
  if (!described_.insert(key_of(s)).second) return row;
  int bytes = 0;
  if (e.read >= 0 && ioctl(e.read, FIONREAD, &bytes) == 0 && bytes > 0) row["parts"] = parts_of(e.read, bytes);
  if (row.contains("parts") && row.at("parts").is_null()) {
    row.erase("parts");
    said.warn(fd, row, "has contents that cannot be read: after a restart it is empty");
  }
  const bool other_side_elsewhere = (e.write < 0 && !has_event(fd, POLLHUP)) || (e.read < 0 && !has_event(fd, POLLERR));
  row["is_whole"] = !other_side_elsewhere;
  if (row.at("name") != "here" && other_side_elsewhere)
    said.warn(fd, row, "has its other end in another process: after a restart that end is closed");
  return row;
}

pipe_maker::ends pipe_maker::make(const json& row) const {
  ends made{};
  if (row.at("name") == "none") {
    int pair[2];
    if (pipe2(pair, O_CLOEXEC | O_NONBLOCK) != 0) fail("a pipe", "cannot be made again");
    const int read = spare_.move(pair[0]);
    made = {read, spare_.move(pair[1])};
  } else {
    const std::string path = row.at("path");
    const int both = row.at("name") == "here" ? ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)
                                           : make_nameless_fifo(path, row.at("mode"));
    if (both < 0) fail(row.at("path"), "cannot be opened");
    made.read = made.write = spare_.move(both);
  }
  fcntl(made.write, F_SETPIPE_SZ, row.at("capacity").get<int>());
  return made;
}

/// An opening of one end would wait for the other, which may come later. So both ends stay open until all are open.
int pipe_maker::open(const json& row) {
  auto at = pipes_.find(key_in(row));
  if (at == pipes_.end()) at = pipes_.insert({key_in(row), make(row)}).first;
  const ends& e = at->second;
  const int flags = row.at("flags");
  if (row.contains("parts")) {
    fcntl(e.write, F_SETFL, O_NONBLOCK | (row.at("packets").get<bool>() ? O_DIRECT : 0));
    write_parts(e.write, row);
  }
  const int fd = open_again((flags & O_ACCMODE) == O_RDONLY ? e.read : e.write, (flags & O_ACCMODE) | O_NONBLOCK);
  if (fd < 0) fail(row.at("path"), "cannot be opened again");
  fcntl(fd, F_SETFL, flags & settable_flags);
  return spare_.move(fd);
}

pipe_maker::~pipe_maker() {
  for (const auto& [inode, e] : pipes_) {
    close(e.read);
    if (e.write != e.read) close(e.write);
  }
}

}  // namespace mana::descriptors
