#include <runtime/tools/mpi/library_closure.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace tools_library_closure_tests {

using namespace mana::tools;

TEST_CASE("this program's closure is found in the file system") {
  const auto closure = library_closure(read_elf_program("/proc/self/exe"), read_library_cache(), "");
  const auto libc = std::find_if(closure.begin(), closure.end(), [](const auto& l) { return l.name == "libc.so.6"; });
  REQUIRE(libc != closure.end());
  CHECK(std::filesystem::exists(libc->file));
}

TEST_CASE("a missing library is in the closure, without a file") {
  elf_program program;
  program.needed = {"libnone-such.so.1"};
  const auto closure = library_closure(program, {}, "/nowhere:");
  REQUIRE(closure.size() == 1);
  CHECK(closure[0].file.empty());
}

TEST_CASE("damaged caches are empty, not a crash") {
  CHECK(parse_library_cache("").empty());
  CHECK(parse_library_cache("glibc-ld.so.cache1.1").empty());
  std::string many("glibc-ld.so.cache1.1");
  many.resize(48, '\xff');
  CHECK(parse_library_cache(many).empty());
  std::string wild("glibc-ld.so.cache1.1");
  wild.resize(48 + 24, '\0');
  wild[20] = 1;
  wild[48] = 3, wild[49] = 3;
  wild.replace(52, 8, std::string(8, '\xff'));
  CHECK(parse_library_cache(wild).size() == 1);   // an entry without a name harms nobody
}

}  // namespace tools_library_closure_tests
