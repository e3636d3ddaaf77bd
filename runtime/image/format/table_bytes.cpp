#include <runtime/image/format/table_bytes.hpp>

#include <runtime/image/format/own_version.hpp>

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace mana::image {

namespace {

void append(std::vector<char>& to, const void* data, std::size_t n) {
  const char* const at = static_cast<const char*>(data);
  to.insert(to.end(), at, at + n);
}

}  // namespace

void add(std::vector<char>& to, const section& s) {
  section_header h{};
  s.name.copy(h.name, sizeof h.name - 1);
  h.bytes = s.bytes.size();
  append(to, &h, sizeof h);
  append(to, s.bytes.data(), s.bytes.size());
}

void add(std::vector<char>& to, const region& r) {
  const region_record h{r.begin, r.end, static_cast<std::uint32_t>(r.protection), r.shared ? 1u : 0u, r.offset,
                        r.path.size()};
  append(to, &h, sizeof h);
  append(to, r.path.data(), r.path.size());
}

void add(std::vector<char>& to, const source& s) {
  const source_record h{static_cast<std::uint32_t>(s.kind), static_cast<std::uint32_t>(s.name.size()), s.generation,
                        s.identity};
  append(to, &h, sizeof h);
  append(to, s.name.data(), s.name.size());
}

file_header header_of(std::uint32_t rank, std::uint32_t world_size, const processor_features& needed) noexcept {
  file_header h{};
  h.magic = file_magic;
  h.version = format_version;
  const lower::boundary_version own = own_version();
  h.layout_major = own.major;
  h.services_minor = own.minor;
  h.rank = rank;
  h.world_size = world_size;
  h.page_bytes = page_bytes;
  std::copy(std::begin(needed.words), std::end(needed.words), h.cpu_features);
  h.checksum = XXH3_64bits(&h, offsetof(file_header, checksum));
  return h;
}

}  // namespace mana::image
