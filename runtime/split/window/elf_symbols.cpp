#include <runtime/split/window/elf_symbols.hpp>

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace mana::split {
namespace {

struct dynamic_part {
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hash = nullptr;       // [1]: number of symbols
  const std::uint32_t* gnu_hash = nullptr;
};

template <class T>
const T* at(std::uintptr_t address) noexcept { return reinterpret_cast<const T*>(address); }

/// The difference between addresses in memory and in the file.
std::uintptr_t load_bias(std::uintptr_t image) noexcept {
  const auto* header = at<Elf64_Ehdr>(image);
  const auto* segments = at<Elf64_Phdr>(image + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_LOAD) return image + segments[i].p_offset - segments[i].p_vaddr;
  return image;
}

dynamic_part read_dynamic(std::uintptr_t image) noexcept {
  const auto* header = at<Elf64_Ehdr>(image);
  const auto* segments = at<Elf64_Phdr>(image + header->e_phoff);
  const std::uintptr_t bias = load_bias(image);
  dynamic_part part;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type != PT_DYNAMIC) continue;
    for (const auto* d = at<Elf64_Dyn>(bias + segments[i].p_vaddr); d->d_tag != DT_NULL; ++d) {
      // A dynamic linker may have relocated a writable dynamic section already.
      const std::uintptr_t where = d->d_un.d_ptr >= image ? d->d_un.d_ptr : bias + d->d_un.d_ptr;
      if (d->d_tag == DT_SYMTAB) part.symbols = at<Elf64_Sym>(where);
      if (d->d_tag == DT_STRTAB) part.names = at<char>(where);
      if (d->d_tag == DT_HASH) part.hash = at<std::uint32_t>(where);
      if (d->d_tag == DT_GNU_HASH) part.gnu_hash = at<std::uint32_t>(where);
    }
  }
  return part;
}

/// Number of symbols: from DT_HASH, or else from the last chain of DT_GNU_HASH.
std::uint32_t symbol_count(const dynamic_part& part) noexcept {
  if (part.hash != nullptr) return part.hash[1];
  if (part.gnu_hash == nullptr) return 0;
  const std::uint32_t buckets = part.gnu_hash[0], first = part.gnu_hash[1], bloom_words = part.gnu_hash[2];
  const std::uint32_t* const bucket = part.gnu_hash + 4 + 2 * bloom_words;
  const std::uint32_t* const chain = bucket + buckets;
  const std::uint32_t highest = buckets == 0 ? 0 : *std::max_element(bucket, bucket + buckets);
  if (highest < first) return first;
  std::uint32_t last = highest;
  while ((chain[last - first] & 1) == 0) ++last;
  return last + 1;
}

}  // namespace

std::uintptr_t find_symbol(std::uintptr_t image, const char* name) noexcept {
  const dynamic_part part = read_dynamic(image);
  if (part.symbols == nullptr || part.names == nullptr) return 0;
  const std::uint32_t n = symbol_count(part);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Elf64_Sym& s = part.symbols[i];
    if (s.st_shndx != SHN_UNDEF && std::strcmp(part.names + s.st_name, name) == 0) return load_bias(image) + s.st_value;
  }
  return 0;
}

address_range image_range(std::uintptr_t image) noexcept {
  const auto* header = at<Elf64_Ehdr>(image);
  const auto* segments = at<Elf64_Phdr>(image + header->e_phoff);
  const std::uintptr_t bias = load_bias(image);
  address_range all{std::numeric_limits<std::uintptr_t>::max(), 0};
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type != PT_LOAD) continue;
    all.begin = std::min(all.begin, page_floor(bias + segments[i].p_vaddr));
    all.end = std::max(all.end, page_ceil(bias + segments[i].p_vaddr + segments[i].p_memsz));
  }
  return all;
}

}  // namespace mana::split
