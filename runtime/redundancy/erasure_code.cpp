#include <runtime/redundancy/erasure_code.hpp>

#include <isa-l.h>

#include <algorithm>
#include <stdexcept>

namespace mana::redundancy {
namespace {
constexpr std::size_t table_bytes = 32;      // of ISA-L, for one factor, at most: with some instructions, newer versions use fewer
}  // namespace

combination::combination(unsigned sources, unsigned targets, std::vector<unsigned char> factors)
    : sources_(sources), tables_(table_bytes * sources * targets) {
  // Each target gets tables of its own, because only ISA-L knows where in them another target's would begin.
  for (std::size_t target = 0; target < targets; ++target)
    ec_init_tables(static_cast<int>(sources), 1, factors.data() + sources * target, tables_.data() + table_bytes * sources * target);
}

void combination::add(unsigned source, bytes_view bytes, unsigned target, bytes_span sum) const {
  // ISA-L takes read-only arguments without const.
  auto* const tables = const_cast<unsigned char*>(tables_.data() + table_bytes * sources_ * target);
  auto* const from = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
  auto* to = reinterpret_cast<unsigned char*>(sum.data());
  ec_encode_data_update(static_cast<int>(bytes.size()), static_cast<int>(sources_), 1, static_cast<int>(source), tables,
                        from, &to);
}

erasure_code::erasure_code(unsigned data, unsigned parity)
    : data_(data), parity_(parity), matrix_(std::size_t{data + parity} * data) {
  gf_gen_cauchy1_matrix(matrix_.data(), static_cast<int>(data + parity), static_cast<int>(data));
}

combination erasure_code::parity() const {
  return {data_, parity_, {matrix_.begin() + data_ * data_, matrix_.end()}};
}

combination erasure_code::rebuilt(std::span<const unsigned> sources, std::span<const unsigned> targets) const {
  std::vector<unsigned char> left, inverse(std::size_t{data_} * data_), factors;
  for (const unsigned source : sources) left.insert(left.end(), row(source).begin(), row(source).end());
  if (gf_invert_matrix(left.data(), inverse.data(), static_cast<int>(data_)) != 0)
    throw std::logic_error("rows of the Cauchy matrix that cannot be inverted");
  for (const unsigned target : targets)
    for (unsigned i = 0; i < data_; ++i) {
      unsigned char factor = 0;
      for (unsigned j = 0; j < data_; ++j) factor ^= gf_mul(row(target)[j], inverse[j * data_ + i]);
      factors.push_back(factor);
    }
  return {data_, static_cast<unsigned>(targets.size()), std::move(factors)};
}

}  // namespace mana::redundancy
