#include "elf_program.hpp"

#include "../temporary_directory.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <system_error>

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
  std::mt19937 random(1);
  for (std::size_t at = SELFMAG; at < 1024; ++at) {
    std::string bytes = own_bytes().substr(0, 8192);
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
