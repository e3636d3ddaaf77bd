#include <runtime/redundancy/scheme.hpp>

#include <runtime/redundancy/redundancy_error.hpp>

#include <charconv>

namespace mana::redundancy {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw redundancy_error(error_kind::usage, "redundancy \"" + std::string(text) + "\": " + why);
}

unsigned number(std::string_view text, std::string_view part, const char* name, unsigned most) {
  unsigned value = 0;
  const char* const end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, value);
  const bool out_of_range = error == std::errc::result_out_of_range;
  if (!out_of_range && (error != std::errc() || stop != end))
    refuse(text, std::string(name) + " is not a number; the form is K+M, for example 4+1");
  if (out_of_range || value < 1 || value > most)
    refuse(text, std::string(name) + " must be 1 to " + std::to_string(most));
  return value;
}

}  // namespace

scheme scheme::parse(std::string_view text) {
  const std::size_t plus = text.find('+');
  if (plus == text.npos) refuse(text, "there is no '+'; the form is K+M, for example 4+1");
  return {number(text, text.substr(0, plus), "K, the blocks of data,", most_data),
          number(text, text.substr(plus + 1), "M, the blocks of parity,", most_parity)};
}

}  // namespace mana::redundancy
