#include <runtime/image/origins/shared_text.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace mana::image {

double least_left_of_text(const packing& how) noexcept {
  constexpr int thorough_level = 10;
  switch (how.mode) {
    case packing_mode::none: return 1;
    case packing_mode::auto_lz4:
    case packing_mode::lz4: return 0.44;
    case packing_mode::zstd: break;
  }
  return how.level < thorough_level ? 0.28 : 0.2;
}

bool is_worth_a_copy(std::uint64_t of_file, std::uint64_t of_copy, unsigned ranks, const packing& how) noexcept {
  return ranks * least_left_of_text(how) * static_cast<double>(of_file) >= static_cast<double>(of_copy);
}

program_files::choice files_worth_a_copy(const std::vector<file_origin>& origins, const std::vector<region>& regions, unsigned ranks,
                                         const packing& how) {
  std::map<std::string, std::uint64_t> bytes;
  auto at = regions.begin();
  for (const file_origin& o : origins) {
    while (at != regions.end() && at->end <= o.begin) ++at;
    for (auto r = at; r != regions.end() && r->begin < o.end; ++r)
      if ((r->protection & PROT_WRITE) == 0) bytes[o.path] += std::min(o.end, r->end) - std::max(o.begin, r->begin);
  }
  return [bytes = std::move(bytes), ranks, how](const std::string& path, std::uint64_t of_copy) {
    const auto found = bytes.find(path);
    return found != bytes.end() && is_worth_a_copy(std::min(found->second, of_copy), of_copy, ranks, how);
  };
}

}  // namespace mana::image
