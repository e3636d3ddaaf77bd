// Reed-Solomon over bytes with a Cauchy matrix, by ISA-L.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace mana::redundancy {

using bytes_view = std::span<const std::byte>;
using bytes_span = std::span<std::byte>;

/// Blocks of a stripe as sums of its other blocks, each times a factor. Targets and sources have the order in which the
/// caller gave them.
class combination {
 public:
  /// in:     factors  targets x sources, row by row
  combination(unsigned sources, unsigned targets, std::vector<unsigned char> factors);
  /// Adds a source's contribution to a target. Both have the same size.
  void add(unsigned source, bytes_view bytes, unsigned target, bytes_span sum) const;

 private:
  unsigned sources_;
  std::vector<unsigned char> tables_;
};

class erasure_code {
 public:
  /// in:     data, parity  data + parity <= 255
  erasure_code(unsigned data, unsigned parity);
  /// Parity blocks from data blocks.
  combination parity() const;
  /// Any blocks of a stripe from any `data` others.
  /// in:     sources  `data` numbers of blocks, as in stripes.hpp      targets  numbers of blocks
  combination rebuilt(std::span<const unsigned> sources, std::span<const unsigned> targets) const;

 private:
  std::span<const unsigned char> row(unsigned block) const { return {&matrix_[block * data_], data_}; }

  unsigned data_, parity_;
  std::vector<unsigned char> matrix_;   // `(data + parity) x data`; the upper part is the identity
};

}  // namespace mana::redundancy
