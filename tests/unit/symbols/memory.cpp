// Memory of processes and core dumps, and the tables of names in files.
#include "../temporary_directory.hpp"

#include <runtime/symbols/core_memory.hpp>
#include <runtime/symbols/elf_symbol_table.hpp>
#include <runtime/symbols/mapped_file.hpp>
#include <runtime/symbols/process_memory.hpp>
#include <runtime/symbols/upper_objects.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

namespace symbols_memory_tests {

using namespace mana::symbols;

extern "C" int a_function_with_a_name(int argument) { return argument + 1; }

namespace {

std::uintptr_t place(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

template <class T>
void append(std::string& bytes, const T& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }

/// A core dump with one segment of memory at 0x1000, a note of the file `mapped` at 0x5000 and of an entry there.
std::string core_of(const std::string& memory, const std::string& mapped) {
  std::string files, auxv, notes, core;
  for (const std::uint64_t word : {1ul, 4096ul, 0x5000ul, 0x7000ul, 0ul}) append(files, word);
  files += mapped + '\0';
  for (const std::uint64_t word : {std::uint64_t{AT_ENTRY}, std::uint64_t{0x5010}, std::uint64_t{0}, std::uint64_t{0}})
    append(auxv, word);
  const auto note = [&](std::uint32_t type, std::string contents) {
    append(notes, Elf64_Nhdr{5, static_cast<Elf64_Word>(contents.size()), type});
    notes += std::string("CORE\0\0\0\0", 8);
    contents.resize((contents.size() + 3) / 4 * 4);
    notes += contents;
  };
  note(NT_FILE, files);
  note(NT_AUXV, auxv);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_type = ET_CORE;
  header.e_machine = EM_X86_64;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  header.e_phoff = sizeof header;
  append(core, header);
  const std::uint64_t begin = sizeof header + 2 * sizeof(Elf64_Phdr);
  append(core, Elf64_Phdr{PT_NOTE, 0, begin, 0, 0, notes.size(), 0, 4});
  append(core, Elf64_Phdr{PT_LOAD, PF_R, begin + notes.size(), 0x1000, 0, memory.size(), 0x2000, 4096});
  return core + notes + memory;
}

std::string refusal(const std::string& path) {
  try {
    core_memory dump(path);
  } catch (const memory_error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("this process's own memory, and the file behind it") {
  const process_memory self("self");
  const std::string text = "some text";
  CHECK(self.text(place(text.c_str())) == text);
  CHECK(self.get<int>(8) == std::nullopt);
  CHECK(self.file_at(place(reinterpret_cast<const void*>(&a_function_with_a_name))).ends_with("/unit_symbols"));
  CHECK(self.file_at(place(text.c_str())) == "");
  CHECK_THROWS_AS(process_memory("0"), memory_error);
}

TEST_CASE("a process without an upper half has no objects") {
  CHECK_THROWS_WITH_AS(upper_objects(process_memory("self")), "mana has loaded no program there", memory_error);
}

TEST_CASE("memory of a core dump, and what it leaves out from the files") {
  const temporary_directory directory;
  const std::string mapped = directory.write("mapped", std::string(0x100, 'f'));
  const core_memory dump(directory.write("core", core_of("memory", mapped)));
  CHECK(dump.text(0x1000) == "memory");
  CHECK(dump.get<char>(0x1005) == 'y');
  CHECK(dump.get<char>(0x1006) == std::nullopt);      // mapped, but not in the dump
  CHECK(dump.get<char>(0x50ff) == 'f');
  CHECK(dump.get<char>(0x5100) == std::nullopt);      // beyond the file's end
  CHECK(dump.file_at(0x6fff) == mapped);
  CHECK(dump.file_at(0x7000) == "");
  CHECK(dump.program() == mapped);
  CHECK_THROWS_AS(upper_objects(dump), memory_error);
}

TEST_CASE("what is no core dump is refused") {
  const temporary_directory directory;
  const std::string whole = core_of("memory", "x");
  CHECK(refusal(directory.path() / "none") == "No such file or directory");
  CHECK(refusal("/proc/self/exe") == "this is not a core dump of an x86-64 process");
  CHECK(refusal(directory.write("text", "text")) == "this is not a core dump of an x86-64 process");
  CHECK(refusal(directory.write("cut", whole.substr(0, sizeof(Elf64_Ehdr) + 8))) == "the core dump is cut off");
  for (std::size_t size = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr); size < whole.size(); ++size)
    CHECK(refusal(directory.write("shorter", whole.substr(0, size))) == "accepted");   // gdb knows what to say of those
}

TEST_CASE("names in a file, however damaged") {
  const mapped_file own("/proc/self/exe");
  bool defined = false, wanted = false;
  CHECK(for_each_symbol(own.bytes(), SHT_SYMTAB, [&](std::string_view name, const Elf64_Sym& s) {
    if (name == "a_function_with_a_name") defined = s.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s.st_info) == STT_FUNC;
  }));
  CHECK(for_each_symbol(own.bytes(), SHT_DYNSYM, [&](std::string_view name, const Elf64_Sym& s) {
    wanted = wanted || (name == "__libc_start_main" && s.st_shndx == SHN_UNDEF);
  }));
  CHECK(defined);
  CHECK(wanted);
  CHECK(mapped_file("/nowhere").bytes().empty());
  const auto nothing = [](std::string_view, const Elf64_Sym&) {};
  CHECK_FALSE(for_each_symbol("", SHT_DYNSYM, nothing));
  for (std::size_t size = 64; size < own.bytes().size(); size += own.bytes().size() / 50)
    for_each_symbol(own.bytes().substr(0, size), SHT_DYNSYM, nothing);
  Elf64_Ehdr header{};
  std::memcpy(&header, own.bytes().data(), sizeof header);
  std::string bytes(own.bytes());
  for (std::size_t at = header.e_shoff; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * 37);
  for_each_symbol(bytes, SHT_DYNSYM, nothing);
  for_each_symbol(bytes, SHT_SYMTAB, nothing);
}

}  // namespace symbols_memory_tests
