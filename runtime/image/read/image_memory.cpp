#include <runtime/image/read/image_memory.hpp>

#include <runtime/image/format/saving_section.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mana::image {

image_memory::image_memory(const rank_image& of, std::function<void(std::uint64_t)> looked)
    : image_(of), looked_(std::move(looked)), in_(of.reader()), window_(new char[chunk_bytes]) {}

bool image_memory::open() noexcept { return true; }

/// Reads the parts of chunks that lie in the window.
void image_memory::read(std::uintptr_t begin, std::uintptr_t end, bool* touched) {
  const std::vector<chunk_record>& chunks = image_.about().chunks;
  auto at = std::upper_bound(chunks.begin(), chunks.end(), begin,
                             [](std::uintptr_t a, const chunk_record& c) { return a < c.address + c.memory_bytes; });
  for (; at != chunks.end() && at->address < end; ++at) {
    chunk_record part = *at;
    const std::uintptr_t from = std::max<std::uintptr_t>(begin, part.address),
                         to = std::min<std::uintptr_t>(end, part.address + part.memory_bytes);
    part.skipped_bytes += static_cast<std::uint32_t>(from - part.address);
    part.address = from;
    part.memory_bytes = static_cast<std::uint32_t>(to - from);
    in_->read(part, window_.get() + (from - begin));
    looked_(part.memory_bytes);
    std::fill(touched + (from - begin) / page_bytes, touched + (to - begin) / page_bytes, true);
  }
}

int image_memory::find_touched(const region&, std::uintptr_t begin, std::size_t pages, bool* touched) noexcept {
  std::fill_n(touched, pages, false);
  try {
    read(begin, begin + pages * page_bytes, touched);
  } catch (const files::image_error& error) {
    failure_ = error;
    errno = EIO;
    return -1;
  }
  return std::find(touched, touched + pages, true) != touched + pages ? 1 : 0;
}

/// The window is the one of the last find_touched().
bool image_memory::copy(const region&, std::uintptr_t, std::size_t pages, bool* wanted, char* into) noexcept {
  for (std::size_t i = 0; i < pages; ++i)
    if (wanted[i]) std::memcpy(into + i * page_bytes, window_.get() + i * page_bytes, page_bytes);
  return true;
}

write_result write_whole(const rank_image& of, const std::string& path, const std::string& mode, const packing& how,
                         unsigned pack_threads, const std::function<void(std::uint64_t)>& looked) {
  of.check_version();
  image_memory memory(of, looked);
  image_plan plan;
  plan.path = path;
  plan.rank = of.header().rank;
  plan.world_size = of.header().world_size;
  plan.sections = of.about().sections;
  set_mode(plan.sections, mode);
  plan.regions = of.regions();
  std::copy(std::begin(of.header().cpu_features), std::end(of.header().cpu_features), plan.needed.words);
  plan.how = how;
  plan.pack_threads = pack_threads;
  plan.pages = &memory;
  image_writer writer(std::move(plan));
  const bool well = writer.write_shared() && writer.finish();
  if (memory.failure()) throw *memory.failure();
  if (!well) throw files::image_error(files::error_kind::io, writer.failure_text(writer.failure()));
  return writer.result();
}

}  // namespace mana::image
