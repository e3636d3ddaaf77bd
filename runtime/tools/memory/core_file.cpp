#include <runtime/tools/memory/core_file.hpp>

#include <arch/elf.hpp>

#include <runtime/tools/memory/core_notes.hpp>
#include <runtime/tools/text/failure.hpp>

#include <elf.h>
#include <sys/mman.h>

#include <cstring>

namespace mana::tools {
namespace {

Elf64_Ehdr header_of(std::size_t segments) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_CORE;
  header.e_machine = arch::elf_machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments);
  return header;
}

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + image::page_bytes - 1) / image::page_bytes * image::page_bytes;
}

/// False for a region of which the image keeps nothing and a file has all: a shared region that the program could not
/// write to. If the program could write to the region, the image has its zeros too.
bool is_kept(const saved_memory& memory, const image::region& r) {
  if (!image::maps_file_again(r)) return true;
  const std::size_t n = memory.chunk_behind(r.begin);
  return n < memory.about().chunks.size() && memory.about().chunks[n].address < r.end;
}

Elf64_Phdr segment_of(const saved_memory& memory, const image::region& r, std::uint64_t at) {
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = ((r.protection & PROT_READ) != 0 ? PF_R : 0u) | ((r.protection & PROT_WRITE) != 0 ? PF_W : 0u) |
                    ((r.protection & PROT_EXEC) != 0 ? PF_X : 0u);
  segment.p_offset = at;
  segment.p_vaddr = r.begin;
  segment.p_memsz = r.end - r.begin;
  segment.p_filesz = is_kept(memory, r) ? segment.p_memsz : 0;
  segment.p_align = image::page_bytes;
  return segment;
}

template <class T>
std::span<const char> bytes_of(const T* values, std::size_t n) {
  return {reinterpret_cast<const char*>(values), n * sizeof(T)};
}

/// in: segments  the notes, then one segment for each region
void write_memory(const saved_memory& memory, const std::vector<Elf64_Phdr>& segments, new_file& into) {
  const image::contents& about = memory.about();
  std::size_t at = 0;
  for (std::size_t n = 0; n < about.chunks.size(); ++n) {
    while (about.regions[at].end <= about.chunks[n].address) ++at;           // both lists ascend
    if (image::seems_contents(about.regions[at])) continue;
    const Elf64_Phdr& segment = segments[1 + at];
    into.write(segment.p_offset + (about.chunks[n].address - segment.p_vaddr), memory.chunk(n));
  }
}

}  // namespace

std::uint64_t write_core(const saved_memory& memory, new_file& into) {
  const auto& regions = memory.about().regions;
  if (regions.size() + 1 >= PN_XNUM)
    throw failure(exit_status::internal, memory.path() + ": it has more regions than a core dump can have");
  const std::vector<char> notes = core_notes(memory);
  std::vector<Elf64_Phdr> segments(1);
  segments[0].p_type = PT_NOTE;
  segments[0].p_offset = sizeof(Elf64_Ehdr) + (regions.size() + 1) * sizeof(Elf64_Phdr);
  segments[0].p_filesz = notes.size();
  segments[0].p_align = 4;
  std::uint64_t end = whole_pages(segments[0].p_offset + notes.size());
  for (const image::region& r : regions) {
    segments.push_back(image::seems_contents(r) ? Elf64_Phdr{} : segment_of(memory, r, end));      // PT_NULL: no memory
    end += segments.back().p_filesz;
  }
  const Elf64_Ehdr header = header_of(segments.size());
  into.write(0, bytes_of(&header, 1));
  into.write(header.e_phoff, bytes_of(segments.data(), segments.size()));
  into.write(segments[0].p_offset, notes);
  write_memory(memory, segments, into);
  return end;
}

}  // namespace mana::tools
