#include <runtime/image/read/run_reader.hpp>

#include <runtime/files/io_error.hpp>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace mana::image {

namespace {

constexpr int not_tried = -1, not_possible = -2;

}  // namespace

run_reader::run_reader(const contents& image, chunk_reader& from, first_use& pages)
    : image_(image), from_(from), pages_(pages), direct_(image.sources.size() + 1, not_tried) {}

/// Nothing is under way once the queue is closed.
run_reader::~run_reader() {
  queue_.close();
  for (const int fd : direct_)
    if (fd >= 0) close(fd);
}

int run_reader::direct_file(const file_run& run) {
  int& fd = direct_[run.source];
  if (fd != not_tried) return fd;
  if (!has_queue_) has_queue_ = queue_.open();
  const std::string again = "/proc/self/fd/" + std::to_string(from_.file_of(run.source));
  fd = has_queue_ ? open(again.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC) : not_possible;
  if (fd < 0) fd = not_possible;
  return fd;
}

/// Cached memory is read faster than the disk. The test looks at the middle of the run: the kernel's read-ahead from
/// the header and from the tables may reach its ends.
bool run_reader::is_cached(const file_run& run) {
  char byte = 0;
  const iovec one{&byte, 1};
  const std::uint64_t middle = run.offset + (run.memory.end - run.memory.begin) / 2;
  return preadv2(from_.file_of(run.source), &one, 1, static_cast<off_t>(middle), RWF_NOWAIT) == 1;
}

void run_reader::begin_next() {
  const file_run& run = runs_[run_];
  if (next_ == 0) {
    next_ = run.memory.begin;
    run_file_ = is_cached(run) ? not_possible : direct_file(run);
  }
  piece& p = pieces_[(first_ + count_++) % most_pieces];
  p = {{next_, std::min(run.memory.end, next_ + piece_bytes)}, false, false};
  pages_.prepare(p.memory);
  if (run_file_ >= 0)
    p.under_way = queue_.read({run_file_, reinterpret_cast<void*>(p.memory.begin), p.memory.end - p.memory.begin,
                               run.offset + (p.memory.begin - run.memory.begin), static_cast<std::uint64_t>(&p - pieces_.data())});
  next_ = p.memory.end;
  if (next_ < run.memory.end) return;
  next_ = 0;
  ++run_;
}

void run_reader::await(piece& wanted) {
  while (wanted.under_way) {
    io_event events[most_pieces];
    const long n = queue_.await(events, most_pieces);
    if (n < 0) files::throw_io(from_.path_of(image_.chunks[chunk_].source), "cannot be read");
    for (long i = 0; i < n; ++i) {
      piece& p = pieces_[events[i].data];
      p.under_way = false;
      p.is_there = events[i].res == static_cast<std::int64_t>(p.memory.end - p.memory.begin);
    }
  }
}

/// Finishes the chunks that end by there. A chunk that was not completely read is read the other way, which also says
/// what is wrong.
void run_reader::finish_chunks(std::uintptr_t end) {
  for (; chunk_ < image_.chunks.size() && image_.chunks[chunk_].address + image_.chunks[chunk_].memory_bytes <= end; ++chunk_) {
    const chunk_record& c = image_.chunks[chunk_];
    char* const place = reinterpret_cast<char*>(c.address);
    if (c.address < missing_.end && missing_.begin < c.address + c.memory_bytes) from_.read(c, place);
    else from_.check(c, place);
  }
}

void run_reader::retire_oldest() {
  piece& p = pieces_[first_];
  await(p);
  if (!p.is_there) missing_ = {missing_.end == p.memory.begin ? missing_.begin : p.memory.begin, p.memory.end};
  const auto first = std::partition_point(image_.chunks.begin() + static_cast<std::ptrdiff_t>(chunk_), image_.chunks.end(),
                                          [&](const chunk_record& c) { return c.address + c.memory_bytes <= p.memory.begin; });
  chunk_ = static_cast<std::size_t>(first - image_.chunks.begin());
  finish_chunks(p.memory.end);
  first_ = (first_ + 1) % most_pieces;
  --count_;
}

void run_reader::read(std::span<const file_run> runs, const std::function<void(std::uint64_t)>& filled) {
  runs_ = runs;
  while (run_ < runs_.size() || count_ > 0) {
    while (run_ < runs_.size() && count_ < most_pieces) begin_next();
    const page_range next = pieces_[first_].memory;
    retire_oldest();
    filled(next.end - next.begin);
  }
}

}  // namespace mana::image
