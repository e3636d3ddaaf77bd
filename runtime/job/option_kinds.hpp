// Kinds of values that options have. Each says how a value is given on the command line, what the lower half makes of it, and
// which values there are: `mana` and the lower half ask the same function.
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

/// What a checkpoint does about something that it cannot save.
enum class loss_policy {
  warn,      // it is named in the checkpoint
  refuse,    // the checkpoint is given up, with a message that names it; the program goes on
  ignore,
};

}  // namespace mana::job

namespace mana::option {

/// A sentence of what a value should be, without the option's name.
class wrong_value : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

enum class commands { run, restart, both };
enum class goes { to_job, to_rank, to_tool };
enum class group { checkpoints, ranks, images, program, messages };
/// Another option, and why; of the row `nothing` none.
struct relation {
  const char* other = "";
  const char* why = "";
};
inline constexpr relation nothing{};

/// given: as the command line has it; value: as the lower half uses it. parse() of each throws wrong_value.
template <class Given, class Value>
struct kind {
  using given = Given;
  using value = Value;
};
using text_kind = kind<std::string, std::string>;

struct flag : kind<bool, bool> {};
struct duration : kind<double, double> { static double parse(const std::string& text); };
/// A whole number from least to most.
std::int64_t number_within(const std::string& text, std::int64_t least, std::int64_t most);
template <class T, T Least, T Most>
struct number : kind<T, T> {
  static T parse(const std::string& text) { return static_cast<T>(number_within(text, Least, Most)); }
};
using one_of = number<unsigned, 1, 1000>;            // of so many checkpoints
using status = number<int, 0, 255>;
using niceness = number<int, 0, 19>;
using fan_out = number<int, clock::least_fan_out, clock::most_fan_out>;
/// Bytes: digits, and a unit of parse_size().
struct size : kind<std::uint64_t, std::uint64_t> { static std::uint64_t parse(const std::string& text); };
/// Given by names or numbers; between the halves a set, decimal: bit n-1 is signal n.
struct signals : kind<std::string, std::uint64_t> { static std::uint64_t parse(const std::string& text); };
struct file_name : text_kind { static std::string parse(const std::string& text); };
struct trace_directory : file_name {};               // `mana` makes it
struct input_file : file_name {};                    // `mana` looks for it
struct live_mpi_name : file_name {};                 // `mana` knows which the installation has
struct abi_name : file_name {};                      // `mana` knows which there are
struct local_directory : text_kind { static std::string parse(const std::string& text); };
struct cpu_level : text_kind {
  static std::vector<std::string> choices();
  static std::string parse(const std::string& text);
};
struct clock_name : text_kind {
  static std::string standard();                     // where none is given
  static std::vector<std::string> choices();
  static std::string parse(const std::string& text);
};
struct loss : kind<std::string, job::loss_policy> {
  static std::vector<std::string> choices();
  static job::loss_policy parse(const std::string& text);
};
struct packing : kind<std::string, image::packing> {
  static std::vector<std::string> choices();         // for completions: some take a level besides
  static image::packing parse(const std::string& text);
};
struct threads : kind<std::string, unsigned> { static unsigned parse(const std::string& text); };
struct kept : kind<std::string, std::size_t> { static std::size_t parse(const std::string& text); };
struct scheme : kind<std::string, redundancy::scheme> { static redundancy::scheme parse(const std::string& text); };
/// May be given again.
struct path_rules : kind<std::vector<std::string>, files::path_map> {
  static void add(files::path_map& rules, const std::string& text);
};

/// What the lower half has of an option that is not given.
template <class Kind>
typename Kind::value initial(const typename Kind::given& given) {
  if constexpr (std::is_same_v<typename Kind::given, typename Kind::value>) return given;
  else if constexpr (std::is_same_v<typename Kind::given, std::string>) return given.empty() ? typename Kind::value{} : Kind::parse(given);
  else return {};
}

/// Bytes: digits, and K, M, G or T (also KB, Ki, KiB, …), by which they are so many times 2^10, 2^20, 2^30 or 2^40.
/// out: more than 0; 0: it is none, or too large
std::uint64_t parse_size(const std::string& text);

}  // namespace mana::option
