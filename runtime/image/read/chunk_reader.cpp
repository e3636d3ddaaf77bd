#include <runtime/image/read/chunk_reader.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/files/own_directory.hpp>
#include <runtime/image/format/checksum.hpp>
#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/format/packing.hpp>
#include <runtime/image/origins/program_files.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace mana::image {

namespace {

/// out: false if the file ends too early
bool read_all(int fd, char* into, std::size_t bytes, std::uint64_t at, const std::string& path) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = pread(fd, into + done, bytes - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) files::throw_io(path, "cannot be read");
    if (n == 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

namespace {

std::string path_in(const std::string& root, const source& s) {
  return root + "/" + generation_name(s.generation) + "/" + s.name;
}

}  // namespace

std::string path_of(const source& s, const std::string& image_path) {
  if (s.kind == source_kind::program_file) return s.name;
  return path_in(files::directory_of(files::directory_of(image_path)), s);
}

chunk_reader::chunk_reader(const contents& image, int fd, const std::string& path, std::vector<std::string> roots,
                           const files::path_map& moved)
    : image_(image), roots_(std::move(roots)), stored_(new char[chunk_bytes]), unpacked_(new char[chunk_bytes]) {
  files_.push_back({path, fd});
  for (const source& s : image.sources) {
    const std::string at = image::path_of(s, path);
    files_.push_back({s.kind == source_kind::program_file ? moved(at) : at, -1});
  }
}

chunk_reader::~chunk_reader() {
  for (std::size_t n = 1; n < files_.size(); ++n)
    if (files_[n].fd >= 0) close(files_[n].fd);
}

namespace {

files::descriptor open_file_of(const source& s, const std::string& path, const contents& image,
                               const std::string& image_path) {
  try {
    return s.kind == source_kind::program_file ? open_program_file(s, image, path) : files::open_own_file(path);
  } catch (const files::image_error& error) {
    if (error.kind() == files::error_kind::file)
      throw files::image_error(error.kind(), std::string(error.what()) + " (" + image_path + ")");
    throw files::image_error(error.kind(), std::string(error.what()) + "; " + image_path +
                                        " has a part of its memory there; restart another checkpoint (mana list shows them)");
  }
}

}  // namespace

void chunk_reader::check_sources(bool of_program) {
  std::vector<std::uint64_t> ends(files_.size(), 0);      // of chunks; 0: a base's file that has none of them
  for (const chunk_record& r : image_.chunks) ends[r.source] = std::max(ends[r.source], r.offset + r.stored_bytes);
  for (std::size_t n = 1; n < files_.size(); ++n) {
    if (ends[n] == 0 || files_[n].fd >= 0 || (image_.sources[n - 1].kind == source_kind::program_file) != of_program) continue;
    open_source(n);
    const files::descriptor fd(std::exchange(files_[n].fd, -1));
    struct stat about{};
    if (fstat(fd.get(), &about) != 0) files::throw_io(files_[n].path, "cannot be examined");
    if (static_cast<std::uint64_t>(about.st_size) >= ends[n]) continue;
    if (of_program) throw_changed(files_[n].path);
    throw_damaged(files_[n].path, "it ends before memory that " + files_[0].path + " has there");
  }
}

/// Refuses a file that has replaced the one that the image was made with.
void chunk_reader::open_source_at(std::size_t n, const std::string& path) {
  const source& s = image_.sources[n - 1];
  files::descriptor fd = open_file_of(s, path, image_, files_[0].path);
  if (s.kind == source_kind::generation && read_identity(fd.get(), path) != s.identity)
    throw_damaged(path, "it is not the image that " + files_[0].path + " was made with");
  if (s.kind == source_kind::file_copy && !is_of_build(s, fd.get(), path))
    throw_damaged(path, "it is not the file that " + files_[0].path + " was made with");
  files_[n] = {path, fd.release()};
}

/// Looks beside the image first, which is nearest.     errors: those of the last place
void chunk_reader::open_source(std::size_t n) {
  const source& s = image_.sources[n - 1];
  std::vector<std::string> places{files_[n].path};
  if (s.kind != source_kind::program_file)
    for (const std::string& root : roots_) places.push_back(path_in(root, s));
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    try {
      return open_source_at(n, places[i]);
    } catch (const files::image_error&) {
    }
  }
  open_source_at(n, places.back());
}

int chunk_reader::file_of(std::uint16_t source) {
  if (files_[source].fd < 0) open_source(source);
  return files_[source].fd;
}

void chunk_reader::fetch(const chunk_record& r, char* into) {
  const int fd = file_of(r.source);
  if (read_all(fd, into, r.stored_bytes, r.offset, path_of(r.source))) return;
  if (is_in_program_file(r)) throw_wrong(r);
  throw_damaged(path_of(r.source), "it ends within a chunk");
}

/// The unpacked chunk: at `place` if the record gives all of it.
const char* chunk_reader::whole_chunk(const chunk_record& r, char* place) {
  const bool whole = r.memory_bytes == r.unpacked_bytes;
  if (!whole && cached_offset_ == r.offset && cached_source_ == r.source) return unpacked_.get();
  char* const into = whole ? place : unpacked_.get();
  if (!whole) cached_offset_ = 0;
  const char* stored = into;
  if (static_cast<codec>(r.codec) == codec::none) {
    fetch(r, into);
  } else {
    fetch(r, stored_.get());
    stored = stored_.get();
    if (!unpack(static_cast<codec>(r.codec), stored, r.stored_bytes, into, r.unpacked_bytes))
      throw_damaged(path_of(r.source), "a chunk cannot be unpacked");
  }
  if (chunk_checksum(into, r.unpacked_bytes, stored, r.stored_bytes) != r.checksum) throw_wrong(r);
  if (!whole) {
    cached_offset_ = r.offset;
    cached_source_ = r.source;
  }
  return into;
}

void chunk_reader::check(const chunk_record& r, const char* place) const {
  if (chunk_checksum(place, r.unpacked_bytes, place, r.stored_bytes) != r.checksum) throw_wrong(r);
}

bool chunk_reader::is_in_program_file(const chunk_record& r) const noexcept {
  return r.source != 0 && image_.sources[r.source - 1u].kind == source_kind::program_file;
}

/// The error blames a file of the program, not the checkpoint, which is intact.
void chunk_reader::throw_changed(const std::string& path) const {
  throw files::image_error(files::error_kind::file,
                           path +
                               ": the program's memory is partly in this file, which has changed since the "
                               "checkpoint; put the file of that time back (" +
                               files_[0].path + ")");
}

void chunk_reader::throw_wrong(const chunk_record& r) const {
  if (is_in_program_file(r)) throw_changed(path_of(r.source));
  throw_damaged(path_of(r.source), "a chunk's checksum is wrong");
}

void chunk_reader::read(const chunk_record& r, char* place) {
  const char* const chunk = whole_chunk(r, place);
  if (chunk != place) std::memcpy(place, chunk + r.skipped_bytes, r.memory_bytes);
}

void chunk_reader::check_gaps() {
  if (image_.header.version == 1) return;      // version 1 has none
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken{{0, sizeof(file_header)}};
  for (const chunk_record& r : image_.chunks)
    if (r.source == 0) taken.emplace_back(r.offset, r.offset + r.stored_bytes);
  taken.emplace_back(image_.chunks_end, image_.chunks_end);
  std::sort(taken.begin(), taken.end());
  char gap[page_bytes];
  for (std::size_t i = 1; i < taken.size(); ++i) {
    const std::uint64_t begin = taken[i - 1].second, end = taken[i].first;
    if (end <= begin) continue;
    const bool small = end - begin < page_bytes;
    if (!small || !read_all(files_[0].fd, gap, end - begin, begin, files_[0].path) ||
        std::any_of(gap, gap + (end - begin), [](char c) { return c != 0; }))
      throw_damaged(files_[0].path, "there are bytes that belong to nothing");
  }
}

}  // namespace mana::image
