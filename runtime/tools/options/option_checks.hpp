// What the values of options may be: checks for the parser, without words of the parser's in the help.
#pragma once
#include <runtime/tools/options/address_range.hpp>

#include <runtime/files/path_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI { class Validator; }

namespace mana::tools {

/// A duration in seconds, 0 or more.
const CLI::Validator& duration();
/// The short name of an MPI.
const CLI::Validator& known_mpi();
/// The name of a clock policy.
const CLI::Validator& known_clock();
/// A number of links that a relay can have.
const CLI::Validator& fan_out();
/// A number of a process.
const CLI::Validator& a_process();
/// Digits and nothing else.
const CLI::Validator& a_number();
/// As parse_size(); the text becomes the number of bytes.
const CLI::Validator& a_size();
/// Anything but nothing.
const CLI::Validator& a_name();
/// Old and new place of files.
const CLI::Validator& path_rule();
/// A way to store chunks.
const CLI::Validator& compression();
/// How many threads compress.
const CLI::Validator& pack_threads();
/// How many checkpoints are kept.
const CLI::Validator& a_keep();
/// Where a node keeps images.
const CLI::Validator& local_directory();
/// How much of the images on the nodes may be lost.
const CLI::Validator& redundancy_scheme();
/// Names or numbers of signals.
const CLI::Validator& signals();
/// A piece of memory that is not empty: "0x2000-0x3000".
const CLI::Validator& a_range();

/// in:     rules  that path_rule() has let pass
/// errors: failure (usage): two of them are of one path
paths::path_map path_map_of(const std::vector<std::string>& rules);

/// Bytes: digits, and K, M, G or T (also KB, Ki, KiB, …), by which they are so many times 2^10, 2^20, 2^30 or 2^40.
/// out: more than 0; nothing: it is none, or too large
std::optional<std::uint64_t> parse_size(const std::string& text);

/// errors: std::invalid_argument with a sentence
address_range parse_address_range(const std::string& text);

}  // namespace mana::tools
