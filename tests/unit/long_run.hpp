// Short and long runs of tests that try very many cases of one kind.
#pragma once
#include <cstdlib>

/// MANA_TEST_LONG=1 in the environment, as ctest has it where the build was configured with -DMANA_TEST_LONG=ON.
inline bool is_long_run() {
  const char* const word = std::getenv("MANA_TEST_LONG");
  return word != nullptr && *word == '1';
}
/// How many of its cases a test tries: all of them in a long run, a sample that is spread over them otherwise.
inline int tried(int sample, int all) { return is_long_run() ? all : sample; }
