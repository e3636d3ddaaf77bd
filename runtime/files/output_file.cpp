#include <runtime/files/output_file.hpp>

#include <runtime/files/io_error.hpp>

#include <mana/image/format.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mana::files {

namespace {

constexpr const char* not_written = "cannot be written";

own_directory directory_for(const std::string& path) {
  try {
    return own_directory::at(directory_of(path));
  } catch (const image_error& error) {
    if (error.kind() != error_kind::missing) throw;
    errno = ENOENT;
    throw_io(path, "cannot be created");
  }
}

}  // namespace

output_file::output_file(std::string path, std::uint64_t most_per_s, const write_meter* meter)
    : path_(std::move(path)), directory_(directory_for(path_)), limit_(RLIM_INFINITY), most_per_s_(most_per_s), meter_(meter),
      begun_(std::chrono::steady_clock::now()) {
  fd_ = directory_.make_file(name_of(path_)).release();
  maker_ = getpid();
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0) limit_ = limit.rlim_cur;
  void* const at = mmap(nullptr, parts * part_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    const int error = errno;
    close(fd_);
    directory_.remove(name_of(path_));
    errno = error;
    throw_io(path_, "there is no memory to write it from");
  }
  madvise(at, parts * part_bytes, MADV_HUGEPAGE);     // where faults are dear, first use costs more than the writing
  memory_ = static_cast<char*>(at);
}

output_file::~output_file() {
  if (fd_ >= 0) {
    await_all();
    close(fd_);
    if (getpid() == maker_) directory_.remove(name_of(path_));
  }
  munmap(memory_, parts * part_bytes);
}

bool output_file::fail(const char* what, int error) noexcept {
  if (failure_.what == nullptr) failure_ = {what, error};
  return false;
}

char* output_file::room(std::size_t bytes) noexcept {
  if (failure_.what != nullptr || (part_bytes - used_ < bytes && !flush())) return nullptr;
  return part(current_) + used_;
}

bool output_file::append(const void* data, std::size_t bytes) noexcept {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const std::size_t n = std::min(bytes, part_bytes / 4);
    char* const place = room(n);
    if (place == nullptr) return false;
    std::memcpy(place, at, n);
    commit(n);
    at += n;
    bytes -= n;
  }
  return true;
}

bool output_file::align() noexcept {
  const std::size_t over = position() % image::page_bytes;
  if (over == 0) return failure_.what == nullptr;
  char* const place = room(image::page_bytes - over);
  if (place == nullptr) return false;
  std::memset(place, 0, image::page_bytes - over);
  commit(image::page_bytes - over);
  return true;
}

/// Writes the whole pages of the current part. The rest moves to the beginning of the next part.
bool output_file::flush() noexcept {
  const std::size_t whole = used_ / image::page_bytes * image::page_bytes, over = used_ - whole;
  const char* const rest = part(current_) + whole;
  if (whole > 0 && !give(part(current_), whole)) return false;
  current_ = (current_ + 1) % parts;
  if (!await_part(current_)) return false;
  std::memcpy(part(current_), rest, over);
  used_ = over;
  return true;
}

bool output_file::give(char* bytes, std::size_t n) noexcept {
  // A write beyond the limit would raise SIGXFSZ, whose action belongs to the program.
  if (limit_ != RLIM_INFINITY && written_ + n > limit_) return fail(not_written, EFBIG);
  keep_rate();
  if (meter_ != nullptr && meter_->is_given_up()) return fail("was given up", ECANCELED);
  if (!tried_direct_) become_direct();
  if (direct_) {
    if (!give_directly(n)) return false;
  } else {
    if (!write_all(bytes, n, written_)) return false;
    // The disk starts now, while the next part is made. Otherwise it would start at the fsync.
    if (!sync_range(written_, n, SYNC_FILE_RANGE_WRITE)) return false;
  }
  written_ += n;
  return direct_ || keep_pace();
}

/// Writes past the page cache, if the file system supports that.
void output_file::become_direct() noexcept {
  tried_direct_ = true;
  if (!queue_.open()) return;
  const int flags = fcntl(fd_, F_GETFL);
  direct_ = flags >= 0 && fcntl(fd_, F_SETFL, flags | O_DIRECT) == 0;
}

/// The bytes that follow may not fill whole blocks.
bool output_file::leave_direct() noexcept {
  direct_ = false;
  const int flags = fcntl(fd_, F_GETFL);
  return (flags >= 0 && fcntl(fd_, F_SETFL, flags & ~O_DIRECT) == 0) || fail(not_written, errno);
}

/// If a direct write makes the file longer, some file systems wait until no other write is under way. So the file is
/// made longer beforehand. It at most doubles, so that small files take no more than they need. If fallocate fails,
/// only speed is lost.
void output_file::reserve(std::uint64_t end) noexcept {
  if (!may_reserve_ || end <= reserved_) return;
  const std::uint64_t wanted = std::min<std::uint64_t>(end + std::min(written_, most_reserved), limit_);
  int rc = 0;
  do rc = fallocate(fd_, 0, static_cast<off_t>(written_), static_cast<off_t>(wanted - written_));
  while (rc != 0 && errno == EINTR);
  if (rc == 0) reserved_ = wanted;
  else may_reserve_ = false;
}

bool output_file::cut_to_length() noexcept {
  if (reserved_ <= written_) return true;
  int rc = 0;
  do rc = ftruncate(fd_, static_cast<off_t>(written_));
  while (rc != 0 && errno == EINTR);
  return rc == 0 || fail("cannot be cut to its length", errno);
}

/// Writes the current part's first n bytes.
bool output_file::give_directly(std::size_t n) noexcept {
  reserve(written_ + n);
  if (queue_.write({fd_, part(current_), n, written_, current_})) {
    flights_[current_] = {written_, n};
    return true;
  }
  if (errno == ENOSPC || errno == EDQUOT || errno == EIO) return fail(not_written, errno);
  if (!await_all()) return false;      // asynchronous or direct writing does not work here after all
  return leave_direct() && write_all(part(current_), n, written_);
}

bool output_file::write_all(const char* bytes, std::size_t n, std::uint64_t at) noexcept {
  for (std::size_t done = 0; done < n;) {
    const ssize_t put = pwrite(fd_, bytes + done, n - done, static_cast<off_t>(at + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return fail(not_written, put == 0 ? EIO : errno);
    done += static_cast<std::size_t>(put);
  }
  return true;
}

/// If fewer bytes were written than asked, writes the rest through the page cache.
bool output_file::hear(const io_event& done) noexcept {
  auto& flight = flights_[done.data];
  const std::size_t asked = std::exchange(flight.bytes, 0);
  if (done.res == static_cast<std::int64_t>(asked)) return true;
  // A file system may refuse direct writing only now: the same bytes go through the page cache.
  const bool refused = done.res == -EINVAL || done.res == -EOPNOTSUPP;
  if (done.res < 0 && !refused && done.res != -EINTR && done.res != -EAGAIN)
    return fail(not_written, static_cast<int>(-done.res));
  if (!leave_direct()) return false;
  const std::size_t put = done.res > 0 ? static_cast<std::size_t>(done.res) : 0;
  return write_all(part(static_cast<unsigned>(done.data)) + put, asked - put, flight.at + put);
}

bool output_file::await_part(unsigned i) noexcept {
  if (flights_[i].bytes == 0) return true;
  const auto begin = std::chrono::steady_clock::now();
  while (flights_[i].bytes != 0) {
    io_event events[parts];
    const long n = queue_.await(events, parts);
    if (n < 0) return fail(not_written, errno);
    bool well = true;
    for (long k = 0; k < n; ++k) well = hear(events[k]) && well;
    if (!well) return false;
  }
  ahead_ = std::chrono::steady_clock::now() - begin > prompt;
  return true;
}

bool output_file::await_all() noexcept {
  bool well = true;
  for (unsigned i = 0; i < parts; ++i) well = await_part(i) && well;
  return well;
}

/// Limits the bytes under way to what keeps the disk busy: more dirty pages would only wait in memory.
bool output_file::keep_pace() noexcept {
  if (written_ <= waited_for_ + under_way) return true;
  const auto begin = std::chrono::steady_clock::now();
  if (!sync_range(waited_for_, written_ - under_way - waited_for_, SYNC_FILE_RANGE_WAIT_BEFORE)) return false;
  waited_for_ = written_ - under_way;
  ahead_ = std::chrono::steady_clock::now() - begin > prompt;
  return true;
}

/// If this call reports an error, fsync no longer reports it.
bool output_file::sync_range(std::uint64_t begin, std::uint64_t bytes, unsigned flags) noexcept {
  int rc = 0;
  do rc = sync_file_range(fd_, static_cast<off_t>(begin), static_cast<off_t>(bytes), flags);
  while (rc != 0 && errno == EINTR);
  if (rc == 0 || errno == ENOSYS || errno == EINVAL || errno == ESPIPE) return true;   // fsync does it all
  return fail(not_written, errno);
}

/// Waits until the bytes so far are due.
void output_file::keep_rate() noexcept {
  if (most_per_s_ == 0) return;
  const std::chrono::duration<double> due(static_cast<double>(written_) / static_cast<double>(most_per_s_));
  const auto at = (begun_ + std::chrono::duration_cast<std::chrono::nanoseconds>(due)).time_since_epoch();
  const auto s = std::chrono::duration_cast<std::chrono::seconds>(at);
  const timespec until{s.count(), std::chrono::duration_cast<std::chrono::nanoseconds>(at - s).count()};
  if (meter_ != nullptr) return meter_->wait_until(until);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {}
}

/// Closes the queue, which belongs to this process's memory.
bool output_file::settle() noexcept {
  if (!await_all()) return false;
  if (direct_ && !leave_direct()) return false;
  queue_.close();
  tried_direct_ = false;
  return true;
}

void output_file::taken_over() noexcept {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

bool output_file::sync() noexcept {
  const auto begin = std::chrono::steady_clock::now();
  int rc = 0;
  do rc = fsync(fd_);
  while (rc != 0 && errno == EINTR);
  sync_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return rc == 0;
}

bool output_file::finish() noexcept {
  if (failure_.what != nullptr || !flush() || !await_all()) return false;
  if (direct_ && !leave_direct()) return false;
  if (limit_ != RLIM_INFINITY && written_ + used_ > limit_) return fail(not_written, EFBIG);
  if (!write_all(part(current_), used_, written_)) return false;
  written_ += std::exchange(used_, 0);
  if (!cut_to_length()) return false;
  if (!sync()) return fail("cannot be made durable", errno);
  if (close(std::exchange(fd_, -1)) == 0) return true;
  const int error = errno;
  if (getpid() == maker_) directory_.remove(name_of(path_));
  return fail("cannot be closed", error);
}

}  // namespace mana::files
