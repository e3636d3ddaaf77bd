// Reed-Solomon over bytes by a Cauchy matrix, with ISA-L.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace mana::redundancy {

using bytes_view = std::span<const std::byte>;
using bytes_span = std::span<std::byte>;

/// Blocks of a stripe as sums of other blocks of it, each times a number. Targets and sources are in the order that
/// they were given in.
class combination {
 public:
  /// in:     factors  targets x sources, row by row
  combination(unsigned sources, unsigned targets, std::vector<unsigned char> factors);
  /// Adds what a source has to say about a target. Both have the same size.
  void add(unsigned source, bytes_view bytes, unsigned target, bytes_span sum) const;

 private:
  unsigned sources_;
  std::vector<unsigned char> tables_;
};

class erasure_code {
 public:
  /// in:     data, parity  data + parity <= 255
  erasure_code(unsigned data, unsigned parity);
  /// The parity blocks from the data blocks.
  combination parity() const;
  /// Any blocks of a stripe from any `data` other ones.
  /// in:     sources  data of them, numbers of blocks as in stripes.hpp      targets  numbers of blocks
  combination rebuilt(std::span<const unsigned> sources, std::span<const unsigned> targets) const;

 private:
  std::span<const unsigned char> row(unsigned block) const { return {&matrix_[block * data_], data_}; }

  unsigned data_, parity_;
  std::vector<unsigned char> matrix_;   // (data + parity) x data; the upper part is the identity
};

}  // namespace mana::redundancy
