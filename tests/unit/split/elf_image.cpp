// A program whose headers would have it mapped over what is not its own is refused before anything is mapped.
#include "../temporary_directory.hpp"

#include <runtime/split/load/elf_image.hpp>
#include <runtime/split/window/upper_half.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <functional>

namespace split_elf_image_tests {

using namespace mana;

namespace {

struct small_program {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
};

/// A program of one page, with one segment.
std::string bytes_with(const std::function<void(Elf64_Phdr&)>& change) {
  small_program p;
  std::memcpy(p.header.e_ident, ELFMAG, SELFMAG);
  p.header.e_ident[EI_CLASS] = ELFCLASS64;
  p.header.e_ident[EI_DATA] = ELFDATA2LSB;
  p.header.e_machine = EM_X86_64;
  p.header.e_type = ET_DYN;
  p.header.e_phoff = sizeof p.header;
  p.header.e_phnum = 1;
  p.header.e_phentsize = sizeof(Elf64_Phdr);
  p.segment.p_type = PT_LOAD;
  p.segment.p_filesz = p.segment.p_memsz = split::page_bytes;
  change(p.segment);
  std::string bytes(split::page_bytes, '\0');
  std::memcpy(bytes.data(), &p, sizeof p);
  return bytes;
}

/// out: the exit status that it is refused with; 0: it is not
int refusal_of(const std::function<void(Elf64_Phdr&)>& change) {
  const temporary_directory directory;
  try {
    const split::elf_file file(directory.write("program", bytes_with(change)));
    return 0;
  } catch (const split::load_error& error) {
    return error.exit_code;
  }
}

}  // namespace

TEST_CASE("a segment that can be loaded is not refused, nor one of zeros alone") {
  CHECK(refusal_of([](Elf64_Phdr&) {}) == 0);
  CHECK(refusal_of([](Elf64_Phdr& s) { s.p_memsz = 1u << 20; }) == 0);
  CHECK(refusal_of([](Elf64_Phdr& s) { s.p_filesz = 0, s.p_offset = 1u << 30; }) == 0);
}

TEST_CASE("a segment that would be mapped beyond its memory, or the file's end, is damage") {
  CHECK(refusal_of([](Elf64_Phdr& s) { s.p_memsz = 16; }) == 67);
  CHECK(refusal_of([](Elf64_Phdr& s) { s.p_filesz = s.p_memsz = 2 * split::page_bytes; }) == 67);
  CHECK(refusal_of([](Elf64_Phdr& s) { s.p_offset = 1; }) == 67);
  CHECK(refusal_of([](Elf64_Phdr& s) { s.p_vaddr = ~std::uint64_t{0} - 100; }) == 67);
  CHECK(refusal_of([](Elf64_Phdr& s) { s.p_offset = ~std::uint64_t{4095}; }) == 67);
  CHECK(refusal_of([](Elf64_Phdr& s) { s.p_memsz = std::uint64_t{1} << 60; }) == 67);
}

}  // namespace split_elf_image_tests
