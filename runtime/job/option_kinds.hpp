// Kinds of values that options have. A kind says how the command line gives a value, how the lower half stores it, and
// which values are valid: `mana` and the lower half call the same function.
#pragma once
#include <mana/clock/tree.hpp>

#include <runtime/files/path_map.hpp>
#include <runtime/image/format/packing.hpp>
#include <runtime/redundancy/scheme.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace mana::job {

/// The treatment of something that a checkpoint cannot save.
enum class loss_policy {
  warn,      // the checkpoint names it in a warning
  refuse,    // the checkpoint is given up, with an error message that names it; the program continues
  ignore,
};

}  // namespace mana::job

namespace mana::option {

/// Its text is a sentence about valid values, without the option's name.
class wrong_value : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

enum class commands { run, restart, both };
enum class goes { to_job, to_rank, to_tool };
enum class group { where, when, how_much, how_fast, program, messages, experts };
/// Another option, and why it is needed or excluded; the relation `nothing` names no option.
struct relation {
  const char* other = "";
  const char* why = "";
};
inline constexpr relation nothing{};

/// given: the value's type on the command line; value: its type in the lower half. Each parse() throws wrong_value.
template <class Given, class Value>
struct kind {
  using given = Given;
  using value = Value;
};
using text_kind = kind<std::string, std::string>;

struct flag : kind<bool, bool> {};
struct duration : kind<double, double> { static double parse(const std::string& text); };
/// out: a whole number, least <= number <= most.  errors: wrong_value
std::int64_t number_within(const std::string& text, std::int64_t least, std::int64_t most);
template <class T, T Least, T Most>
struct number : kind<T, T> {
  static T parse(const std::string& text) { return static_cast<T>(number_within(text, Least, Most)); }
};
using one_of = number<unsigned, 1, 1000>;            // the value N of "one checkpoint in N"
using status = number<int, 0, 255>;
using niceness = number<int, 0, 19>;
using tag_bound = number<int, 32767, 2147483647>;    // MPI-4.1 9.1.2: an MPI has at least the first
using fan_out = number<int, clock::least_fan_out, clock::most_fan_out>;
/// Bytes: digits and a unit, see parse_size().
struct size : kind<std::uint64_t, std::uint64_t> { static std::uint64_t parse(const std::string& text); };
/// Given as names or numbers. Between the halves: a set as a decimal number, where bit n-1 is signal n.
struct signals : kind<std::string, std::uint64_t> { static std::uint64_t parse(const std::string& text); };
struct file_name : text_kind { static std::string parse(const std::string& text); };
struct trace_directory : file_name {};               // `mana` makes it
struct input_file : file_name {};                    // `mana` checks that it exists
struct live_mpi_name : file_name {};                 // `mana` knows the names of the installation
struct abi_name : file_name {};                      // `mana` knows the valid names
struct local_directory : text_kind { static std::string parse(const std::string& text); };
struct cpu_level : text_kind {
  static std::vector<std::string> choices();
  static std::string parse(const std::string& text);
};
struct clock_name : text_kind {
  static std::string standard();                     // the default
  static std::vector<std::string> choices();
  static std::string parse(const std::string& text);
};
struct loss : kind<std::string, job::loss_policy> {
  static std::vector<std::string> choices();
  static job::loss_policy parse(const std::string& text);
};
struct packing : kind<std::string, image::packing> {
  static std::vector<std::string> choices();         // for completions: some take a level too
  static image::packing parse(const std::string& text);
};
struct threads : kind<std::string, unsigned> { static unsigned parse(const std::string& text); };
struct kept : kind<std::string, std::size_t> { static std::size_t parse(const std::string& text); };
struct scheme : kind<std::string, redundancy::scheme> { static redundancy::scheme parse(const std::string& text); };
/// The option may be repeated.
struct path_rules : kind<std::vector<std::string>, files::path_map> {
  static void add(files::path_map& rules, const std::string& text);
};

/// out: the lower half's value of an option that is not given
template <class Kind>
typename Kind::value initial(const typename Kind::given& given) {
  if constexpr (std::is_same_v<typename Kind::given, typename Kind::value>) return given;
  else if constexpr (std::is_same_v<typename Kind::given, std::string>) return given.empty() ? typename Kind::value{} : Kind::parse(given);
  else return {};
}

/// in:     text  digits, and K, M, G or T (also KB, Ki, KiB, …) for a factor of 2^10, 2^20, 2^30 or 2^40
/// out:    bytes, more than 0; 0: not a size, or too large
std::uint64_t parse_size(const std::string& text);

}  // namespace mana::option
