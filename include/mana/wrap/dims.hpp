// MPI_Dims_create: a number of processes as a product of factors that are close to each other. Implementations choose
// differently where several products are as good; the application sees what its own MPI would have chosen.
#pragma once
#include <algorithm>
#include <climits>
#include <functional>
#include <vector>

namespace mana::wrap {

/// Open MPI's way: prime factors from the largest, each to the smallest product so far.
inline std::vector<int> greedy_factors(int n, int parts) {
  std::vector<int> primes;
  for (int p = 2; static_cast<long>(p) * p <= n; ++p)
    for (; n % p == 0; n /= p) primes.push_back(p);
  if (n > 1) primes.push_back(n);
  std::vector<int> factors(static_cast<std::size_t>(parts), 1);
  for (auto p = primes.rbegin(); p != primes.rend(); ++p) *std::min_element(factors.begin(), factors.end()) *= *p;
  std::sort(factors.begin(), factors.end(), std::greater<>());
  return factors;
}

/// The search of balanced_factors: extends `current` (factors in falling order) by `parts` more, whose product is n.
inline void search_factors(int n, int parts, std::vector<int>& current, std::vector<int>& best, int& best_spread) {
  const int limit = current.empty() ? n : current.back();
  if (parts == 1) {
    if (n > limit) return;
    const int spread = (current.empty() ? n : current.front()) - n;
    if (spread >= best_spread) return;
    best_spread = spread;
    best = current;
    best.push_back(n);
    return;
  }
  for (int f = std::min(limit, n); f >= 1; --f) {
    if (n % f != 0) continue;
    long reach = 1;                                       // the remaining factors are at most f each
    for (int i = 1; i < parts && reach < n / f; ++i) reach *= f;
    if (reach < n / f) break;
    current.push_back(f);
    search_factors(n / f, parts - 1, current, best, best_spread);
    current.pop_back();
  }
}

/// The product with the least difference between its largest and its smallest factor; in falling order.
inline std::vector<int> balanced_factors(int n, int parts) {
  std::vector<int> current, best;
  int best_spread = INT_MAX;
  search_factors(n, parts, current, best, best_spread);
  return best;
}

}  // namespace mana::wrap
