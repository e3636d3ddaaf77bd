// A program's needs of a live MPI, in the form of the image section "needs": lower/program_needs.hpp with names.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::job {

/// A predefined datatype or operation.
struct needed_object {
  std::uint32_t code = 0;          // neutral
  std::string name;                // "MPI_2COMPLEX"
  std::int64_t bytes = 0;          // of a datatype's data in the live MPI of the checkpoint; 0: an operation
  bool by_operation = false;       // an operation under way names it; else a derived datatype is made of it
};

struct needs {
  std::int64_t told_tag_bound = 0;     // value of MPI_TAG_UB that the program has read; 0: it has not
  std::int64_t largest_tag = 0;        // of operations that a restart starts again
  bool large_counts = false;           // some of them, or some datatypes, have counts that no int holds
  std::vector<needed_object> objects;
};

/// CBOR: a map.
std::vector<std::uint8_t> encode(const needs& all);

/// errors: std::exception: the bytes are no needs
needs decode_needs(std::span<const std::uint8_t> bytes);

/// A live MPI, as far as needs are compared with it.
struct live_offer {
  std::string name;                    // "Open MPI 4.1.4"
  std::int64_t tag_bound = 0;          // its MPI_TAG_UB
  bool large_counts = true;
};

/// The answer of the live MPI about one needed object: the bytes of its data, 0 for an operation; below 0: it has none.
using bytes_here = std::int64_t (*)(std::uint32_t code);

/// The first unmet need, as a sentence; empty: the live MPI meets all.
std::string unmet(const needs& all, const live_offer& live, bytes_here bytes_of);

/// The user's remedy for the first unmet need, in one line.
std::string remedy_of_unmet(const needs& all, const live_offer& live);

}  // namespace mana::job
