#include <runtime/redundancy/erasure_code.hpp>

#include <doctest/doctest.h>
#include <vector>

namespace redundancy_erasure_code_tests {

using namespace mana::redundancy;

namespace {

/// The product of two bytes modulo x^8 + x^4 + x^3 + x^2 + 1.
unsigned product(unsigned a, unsigned b) {
  unsigned result = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) result ^= a;
    a = a & 0x80 ? (a << 1) ^ 0x11d : a << 1;
  }
  return result;
}

unsigned inverse(unsigned a) {
  unsigned result = 1;
  while (product(a, result) != 1) ++result;
  return result;
}

}  // namespace

// Parity that one machine wrote repairs images on another one, whose ISA-L may use other instructions.
TEST_CASE("redundancy: parity is that of the Cauchy matrix, whatever instructions compute it") {
  constexpr unsigned data = 5, parity = 3;
  constexpr std::size_t size = 1000;    // no multiple of a vector register
  std::vector<std::vector<std::byte>> blocks(data, std::vector<std::byte>(size)), sums(parity, std::vector<std::byte>(size));
  for (unsigned source = 0; source < data; ++source)
    for (std::size_t i = 0; i < size; ++i) blocks[source][i] = static_cast<std::byte>(i * (source + 3) + source);
  const combination code = erasure_code(data, parity).parity();
  for (unsigned source = 0; source < data; ++source)
    for (unsigned target = 0; target < parity; ++target) code.add(source, blocks[source], target, sums[target]);
  for (unsigned target = 0; target < parity; ++target) {
    std::vector<std::byte> expected(size);
    for (unsigned source = 0; source < data; ++source) {
      const unsigned factor = inverse((data + target) ^ source);
      for (std::size_t i = 0; i < size; ++i)
        expected[i] ^= static_cast<std::byte>(product(factor, std::to_integer<unsigned>(blocks[source][i])));
    }
    CHECK_MESSAGE(sums[target] == expected, "target ", target);
  }
}

}  // namespace redundancy_erasure_code_tests
