#include <runtime/tools/mpi/elf_program.hpp>

#include "../long_run.hpp"
#include "../temporary_directory.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <system_error>

namespace tools_elf_program_tests {

using namespace mana::tools;

namespace {

const std::string& own_bytes() {
  static const std::string bytes = read_bytes("/proc/self/exe");
  return bytes;
}

}  // namespace

TEST_CASE("a dynamic program names its loader and its libraries") {
  const auto program = read_elf_program("/proc/self/exe");
  CHECK(program.form == file_form::dynamic_program);
  CHECK(program.machine == EM_X86_64);
  CHECK(program.loader.find("ld-linux-x86-64") != std::string::npos);
  CHECK(std::find(program.needed.begin(), program.needed.end(), "libc.so.6") != program.needed.end());
}

TEST_CASE("scripts, texts and empty files are told apart") {
  const temporary_directory directory;
  CHECK(read_elf_program(directory.write("a", "#!/bin/sh\n")).form == file_form::script);
  CHECK(read_elf_program(directory.write("b", "int main() {}\n")).form == file_form::unknown);
  CHECK(read_elf_program(directory.write("c", "")).form == file_form::unknown);
  CHECK(read_elf_program(directory.write("d", "\177ELF")).form == file_form::damaged);
  CHECK_THROWS_AS(read_elf_program(directory.path() / "none"), std::system_error);
}

TEST_CASE("other machines and word sizes are foreign") {
  const temporary_directory directory;
  std::string bytes = own_bytes();
  bytes[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_AARCH64);
  const auto arm = read_elf_program(directory.write("arm", bytes));
  CHECK(arm.form == file_form::foreign);
  CHECK(machine_name(arm.machine) == "AArch64");
  bytes = own_bytes();
  bytes[EI_CLASS] = ELFCLASS32;
  CHECK(read_elf_program(directory.write("small", bytes)).form == file_form::foreign);
  CHECK(machine_name(0xfff0) == "machine 65520");
}

TEST_CASE("a file cut anywhere in its headers is damaged, never a crash") {
  const temporary_directory directory;
  for (std::size_t size : {5u, 16u, 63u, 64u, 100u, 400u, 700u}) {
    CAPTURE(size);
    CHECK(read_elf_program(directory.write("cut", own_bytes().substr(0, size))).form == file_form::damaged);
  }
}

TEST_CASE("any flipped byte of the headers gives a result") {
  const temporary_directory directory;
  const std::string headers = own_bytes().substr(0, 8192);
  std::mt19937 random(1);
  for (std::size_t at = SELFMAG; at < 1024; at += at < sizeof(Elf64_Ehdr) || is_long_run() ? 1 : 13) {
    std::string bytes = headers;
    bytes[at] = static_cast<char>(random());
    CHECK_NOTHROW(read_elf_program(directory.write("flipped", bytes)));
  }
}

TEST_CASE("a script's interpreter is the kernel's reading of its first line") {
  const temporary_directory directory;
  const auto words = [&](const std::string& text) { return script_interpreter(directory.write("s", text)); };
  CHECK(words("#!/bin/sh\necho") == std::vector<std::string>{"/bin/sh"});
  CHECK(words("#! /usr/bin/env python3 -u \nx") == std::vector<std::string>{"/usr/bin/env", "python3 -u"});
  CHECK(words("#!/bin/sh") == std::vector<std::string>{"/bin/sh"});
  CHECK(words("#!\n").empty());
  CHECK(words("text").empty());
}

namespace {

/// A library with this list of directories, in a file of one page.
std::string library_with_runpath(const std::string& runpath) {
  struct {
    Elf64_Ehdr header{};
    Elf64_Phdr all{}, dynamic{};
    Elf64_Dyn entries[4]{};
    char names[256]{};
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_machine = EM_X86_64;
  file.header.e_type = ET_DYN;
  file.header.e_phoff = sizeof file.header;
  file.header.e_phnum = 2;
  file.header.e_phentsize = sizeof(Elf64_Phdr);
  file.all.p_type = PT_LOAD;
  file.all.p_filesz = file.all.p_memsz = sizeof file;
  file.dynamic.p_type = PT_DYNAMIC;
  file.dynamic.p_offset = offsetof(decltype(file), entries);
  file.dynamic.p_filesz = sizeof file.entries;
  const auto entry = [](Elf64_Sxword tag, Elf64_Xword value) { return Elf64_Dyn{tag, {value}}; };
  file.entries[0] = entry(DT_STRTAB, offsetof(decltype(file), names));
  file.entries[1] = entry(DT_STRSZ, sizeof file.names);
  file.entries[2] = entry(DT_RUNPATH, 1);
  std::memcpy(file.names + 1, runpath.data(), runpath.size());
  return {reinterpret_cast<const char*>(&file), sizeof file};
}

}  // namespace

TEST_CASE("a library's own directory is filled in once, also if it is called $ORIGIN itself") {
  const temporary_directory directory;
  const std::string odd = directory.path() / "$ORIGIN";
  std::filesystem::create_directory(odd);
  const auto library = read_elf_program(directory.write("$ORIGIN/library", library_with_runpath("$ORIGIN/a:/b:${ORIGIN}/c/$ORIGIN")));
  CHECK(library.runpath == std::vector<std::string>{odd + "/a", "/b", odd + "/c/" + odd});
}

}  // namespace tools_elf_program_tests
