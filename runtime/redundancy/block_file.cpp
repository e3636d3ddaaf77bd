#include <runtime/redundancy/block_file.hpp>

#include <runtime/redundancy/redundancy_error.hpp>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mana::redundancy {
namespace {

/// errno says why.
[[noreturn]] void throw_io(const local_file& file, const char* what) {
  const int error = errno;
  throw redundancy_error(error_kind::io, file.path + ": " + what + ": " + std::strerror(error));
}

/// Growth beyond the limit would raise SIGXFSZ, whose action belongs to the program.
void check_limit(const local_file& file, std::uint64_t end) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur) return;
  errno = EFBIG;
  throw_io(file, "cannot be written");
}

}  // namespace

std::uint64_t size_of(const local_file& file) {
  struct stat status{};
  if (fstat(file.fd, &status) != 0) throw_io(file, "cannot be examined");
  return static_cast<std::uint64_t>(status.st_size);
}

std::size_t read_at(const local_file& file, std::uint64_t at, bytes_span to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t n = pread(file.fd, to.data() + done, to.size() - done, static_cast<off_t>(at + done));
    if (n == 0) break;
    if (n < 0 && errno != EINTR) throw_io(file, "cannot be read");
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return done;
}

void write_at(const local_file& file, std::uint64_t at, bytes_view bytes) {
  check_limit(file, at + bytes.size());
  while (!bytes.empty()) {
    const ssize_t n = pwrite(file.fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno != EINTR) throw_io(file, "cannot be written");
    if (n <= 0) continue;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
}

void set_size(const local_file& file, std::uint64_t bytes) {
  check_limit(file, bytes);
  if (ftruncate(file.fd, static_cast<off_t>(bytes)) != 0) throw_io(file, "its size cannot be set");
}

void sync(const local_file& file) {
  if (fsync(file.fd) != 0) throw_io(file, "cannot be synced");
}

member_blocks::place member_blocks::find(unsigned block, std::uint64_t at) const noexcept {
  const parity_head& head = header_->head;
  if (is_data(block)) return {image_, block * head.block_bytes + at, header_->records[member_].image_bytes};
  const std::uint64_t before = (block - header_->layout().data()) * head.block_bytes;
  return {parity_, head.head_bytes + before + at, header_->parity_file_bytes()};
}

void member_blocks::read(unsigned block, std::uint64_t at, bytes_span to) const {
  const place from = find(block, at);
  const std::size_t there = from.at < from.end ? std::min<std::uint64_t>(to.size(), from.end - from.at) : 0;
  if (read_at(*from.file, from.at, to.first(there)) != there)
    throw redundancy_error(error_kind::damaged, from.file->path + ": ends before its " + std::to_string(from.end) +
                                                    " bytes");
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(there), to.end(), std::byte{0});
}

void member_blocks::write(unsigned block, std::uint64_t at, bytes_view bytes) const {
  const place to = find(block, at);
  if (to.at >= to.end) return;
  write_at(*to.file, to.at, bytes.first(std::min<std::uint64_t>(bytes.size(), to.end - to.at)));
}

}  // namespace mana::redundancy
