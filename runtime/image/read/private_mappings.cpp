// Private mappings of files in a process that is restarted: INV-81.
#include <runtime/files/io_error.hpp>
#include <runtime/image/read/rank_image.hpp>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace mana::image {

std::uintptr_t limit_of_file(const region& r, int fd) {
  struct stat about{};
  if (fstat(fd, &about) != 0) files::throw_io(r.path, "a file that the program had mapped cannot be examined");
  const auto bytes = S_ISREG(about.st_mode) ? static_cast<std::uint64_t>(about.st_size) : ~std::uint64_t{4095};
  const std::uint64_t after = bytes > r.offset ? bytes - r.offset : 0;
  return after >= r.end - r.begin ? r.end : r.begin + (after + 4095) / 4096 * 4096;
}

/// Whether the image has memory there. Memory beyond a file's end cannot be touched.
bool rank_image::holds_any(const page_range& r) const noexcept {
  const auto ends_before = [](const chunk_record& c, std::uintptr_t begin) { return c.address + c.memory_bytes <= begin; };
  const auto first = std::lower_bound(contents_.chunks.begin(), contents_.chunks.end(), r.begin, ends_before);
  return r.begin < r.end && first != contents_.chunks.end() && first->address < r.end;
}

/// The kernel still accounts a mapping that was writable once. Code without a page of the program's own is therefore
/// never made writable.
///
/// A page of zeros is not in the image. The pages of the program's own are made zero before they are filled.
std::optional<rank_image::place> rank_image::map_privately(const region& r, const memory_visitor& visitor) const {
  const private_file file = r.shared || r.path.empty() ? private_file() : visitor.private_file_of(r);
  if (file.fd < 0) return std::nullopt;
  place at{limit_of_file(r, file.fd)};
  at.is_closed = (r.protection & PROT_WRITE) == 0 && file.own.empty();
  const int protection = at.is_closed ? r.protection : PROT_READ | PROT_WRITE;
  const wanted_mapping wanted{{r.begin, r.end}, protection, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file.fd, r.offset};
  const bool mapped = !holds_any({at.limit, r.end}) && map_part(r, wanted, visitor) == reinterpret_cast<void*>(r.begin);
  close(file.fd);
  if (!mapped) return std::nullopt;
  std::uintptr_t next = r.begin;
  for (const page_range& own : file.own) {
    if (own.begin < next || own.end <= own.begin || own.end > at.limit) damaged("it has pages of a file beyond the file's end");
    if (own.begin > next) at.shown.push_back({next, own.begin});
    std::memset(reinterpret_cast<void*>(own.begin), 0, own.end - own.begin);
    next = own.end;
  }
  if (next < at.limit) at.shown.push_back({next, at.limit});
  return at;
}

/// Discards the copies of a file's pages that filling made. Kernels before 5.18 keep them in locked memory.
void rank_image::show_files(std::span<const place> places) noexcept {
  constexpr int dontneed_locked = 24;      // MADV_DONTNEED_LOCKED
  for (const place& at : places)
    for (const page_range& r : at.shown) {
      void* const begin = reinterpret_cast<void*>(r.begin);
      if (madvise(begin, r.end - r.begin, MADV_DONTNEED) != 0) madvise(begin, r.end - r.begin, dontneed_locked);
    }
}

bool rank_image::is_shown_by_file(const place& at, const chunk_record& c) noexcept {
  return std::ranges::any_of(at.shown, [&](const page_range& r) { return r.begin <= c.address && c.address + c.memory_bytes <= r.end; });
}

}  // namespace mana::image
