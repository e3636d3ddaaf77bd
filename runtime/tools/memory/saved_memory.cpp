#include <runtime/tools/memory/saved_memory.hpp>

#include <runtime/image/read/chunk_reader.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mana::tools {
namespace {

/// errors: image_error (missing, io)
int open_image(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) return fd;
  throw files::image_error(errno == ENOENT ? files::error_kind::missing : files::error_kind::io,
                           path + ": cannot be opened: " + std::strerror(errno));
}

}  // namespace

saved_memory::saved_memory(std::string path, std::function<void(std::uint64_t)> looked, const files::path_map& moved)
    : path_(std::move(path)), looked_(std::move(looked)), fd_(open_image(path_)) {
  try {
    about_ = image::read_contents(fd_, path_);
    reader_ = std::make_unique<image::chunk_reader>(about_, fd_, path_, std::vector<std::string>(), moved);
  } catch (...) {
    ::close(fd_);
    throw;
  }
  held_chunk_ = about_.chunks.size();
}

saved_memory::~saved_memory() { ::close(fd_); }

const image::section* saved_memory::section(const std::string& name) const noexcept {
  const auto found = std::find_if(about_.sections.begin(), about_.sections.end(),
                                  [&name](const image::section& s) { return s.name == name; });
  return found == about_.sections.end() ? nullptr : &*found;
}

const image::region* saved_memory::region_at(std::uintptr_t address) const noexcept {
  const auto found = std::partition_point(about_.regions.begin(), about_.regions.end(),
                                          [address](const image::region& r) { return r.end <= address; });
  return found == about_.regions.end() || address < found->begin ? nullptr : &*found;
}

std::size_t saved_memory::chunk_behind(std::uintptr_t address) const noexcept {
  const auto found =
      std::partition_point(about_.chunks.begin(), about_.chunks.end(), [address](const image::chunk_record& r) {
        return r.address + r.memory_bytes <= address;
      });
  return static_cast<std::size_t>(found - about_.chunks.begin());
}

std::span<const char> saved_memory::chunk(std::size_t n) const {
  const image::chunk_record& record = about_.chunks[n];
  if (held_chunk_ != n) {
    held_chunk_ = about_.chunks.size();
    held_.resize(image::chunk_bytes);
    reader_->read(record, held_.data());
    held_chunk_ = n;
    looked_(record.memory_bytes);
  }
  return {held_.data(), record.memory_bytes};
}

void saved_memory::fetch(std::uintptr_t address, std::span<char> into) const {
  std::fill(into.begin(), into.end(), '\0');
  const std::uintptr_t end = address + into.size();
  for (std::size_t n = chunk_behind(address); n < about_.chunks.size() && about_.chunks[n].address < end; ++n) {
    const std::span<const char> memory = chunk(n);
    const std::uintptr_t chunk_begin = about_.chunks[n].address;
    const std::uintptr_t from = std::max(address, chunk_begin), to = std::min(end, chunk_begin + memory.size());
    std::memcpy(into.data() + (from - address), memory.data() + (from - chunk_begin), to - from);
  }
}

bool saved_memory::read(std::uintptr_t address, void* to, std::size_t n) const noexcept {
  if (address + n < address) return false;
  for (std::uintptr_t at = address; at < address + n;) {      // adjacent regions are one piece for the caller
    const image::region* const r = region_at(at);
    if (r == nullptr) return false;
    at = r->end;
  }
  try {
    fetch(address, {static_cast<char*>(to), n});
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::string saved_memory::file_at(std::uintptr_t address) const {
  const image::region* const r = region_at(address);
  return r == nullptr ? std::string() : r->path;
}

}  // namespace mana::tools
