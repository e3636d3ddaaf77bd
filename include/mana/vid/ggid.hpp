// The name of a set of world ranks: two independent 64-bit hashes, computed without communication. Every rank that
// holds the same set computes the same pair, in this process and after every restart.
//
// ggid   runs the ranks through the splitmix64 finaliser, chained: each step mixes all earlier ones.
// check  is a polynomial over the prime 2^61 - 1, so its collisions are independent of those of ggid.
// Frozen: at a restart the pair orders communicators on ranks whose images may come from different versions.
#pragma once
#include <cstdint>

namespace mana::vid {

struct ggid_pair {
  std::uint64_t ggid, check;
  friend constexpr bool operator==(const ggid_pair&, const ggid_pair&) noexcept = default;
};

/// The splitmix64 finaliser: a bijection of 64-bit words in which every input bit reaches every output bit.
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x += 0x9e37'79b9'7f4a'7c15;
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11eb;
  return x ^ (x >> 31);
}

/// a * b modulo the prime 2^61 - 1; a, b below it.
constexpr std::uint64_t multiply_mod_prime(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using wide = unsigned __int128;
  constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  const wide product = static_cast<wide>(a) * b;
  const std::uint64_t folded = static_cast<std::uint64_t>(product & prime) + static_cast<std::uint64_t>(product >> 61);
  return folded >= prime ? folded - prime : folded;
}

/// in: sorted  int[n], world ranks, ascending, without repetition; n == 0 names the empty set       cost: O(n)
constexpr ggid_pair ggid_of_sorted(const int* sorted, int n) noexcept {
  constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  constexpr std::uint64_t base = 0x0b5a'd4ec'eda1'ce2a;            // any number below the prime
  std::uint64_t ggid = mix64(static_cast<std::uint64_t>(n));
  std::uint64_t check = static_cast<std::uint64_t>(n) + 1;
  for (int i = 0; i < n; ++i) {
    const auto rank = static_cast<std::uint64_t>(sorted[i]);
    ggid = mix64(ggid ^ rank);
    check = multiply_mod_prime(check, base) + rank + 1;            // + 1: rank 0 counts
    if (check >= prime) check -= prime;
  }
  return {ggid, check};
}

}  // namespace mana::vid
