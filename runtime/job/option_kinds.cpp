#include <runtime/job/option_kinds.hpp>

#include <mana/clock/policies.hpp>

#include <runtime/image/format/processor.hpp>
#include <runtime/image/write/pack_crew.hpp>
#include <runtime/redundancy/redundancy_error.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/retention.hpp>
#include <runtime/store/store.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

namespace mana::option {
namespace {

/// from_chars takes no sign.
template <class T>
bool read(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// in: unit  "", "B", "M", "MB", "Mi", "MiB" and so on, in upper or lower case.  out: the power of two that it means
std::optional<unsigned> power_of(std::string unit) {
  for (char& c : unit) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::string_view prefixes = "kmgt";
  const std::size_t prefix = unit.empty() ? std::string_view::npos : prefixes.find(unit[0]);
  if (prefix == std::string_view::npos) return unit.empty() || unit == "b" ? std::optional(0u) : std::nullopt;
  const std::string left = unit.substr(1);
  if (!left.empty() && left != "b" && left != "i" && left != "ib") return std::nullopt;
  return 10 * static_cast<unsigned>(prefix + 1);
}

/// Calls the parser of another room, and turns its error for a wrong value into a wrong_value.
template <class Error, class F>
auto told_by(F&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw wrong_value(error.what());
  }
}

std::string one_among(const std::string& text, const std::vector<std::string>& choices) {
  if (std::ranges::find(choices, text) != choices.end()) return text;
  std::string all;
  for (const std::string& each : choices) all += (all.empty() ? "" : ", ") + each;
  throw wrong_value(text + " is none of " + all);
}

}  // namespace

double duration::parse(const std::string& text) {
  double value = -1;
  if (!read(text, value) || !(value >= 0 && value <= 1e9)) throw wrong_value(text + " is not a number of seconds");
  return value;
}

std::int64_t number_within(const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (!read(text, value) || value < least || value > most)
    throw wrong_value(text + " is not a number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

std::uint64_t parse_size(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  const auto power = power_of(text.substr(static_cast<std::size_t>(end - text.data())));
  return !power || value > (UINT64_MAX >> *power) ? 0 : value << *power;
}

std::uint64_t size::parse(const std::string& text) {
  if (const std::uint64_t bytes = parse_size(text); bytes != 0) return bytes;
  throw wrong_value(text + " is not a number of bytes greater than 0 (4096, 100M, 2G)");
}

std::uint64_t signals::parse(const std::string& text) {
  std::uint64_t value = 0;
  if (!read(text, value)) throw wrong_value("\"" + text + "\" is not a set of signals");
  return value;
}

std::string file_name::parse(const std::string& text) {
  if (text.empty()) throw wrong_value("the name is empty");
  return text;
}

std::string local_directory::parse(const std::string& text) {
  told_by<store::store_error>([&] { return store::local_directory(text, "node"); });
  return text;
}

std::vector<std::string> cpu_level::choices() { return image::processor_levels(); }
std::string cpu_level::parse(const std::string& text) { return one_among(text, choices()); }

std::vector<std::string> clock_name::choices() {
  const auto names = clock::policy_names();
  return {names.begin(), names.end()};
}
std::string clock_name::standard() { return choices().front(); }
std::string clock_name::parse(const std::string& text) { return one_among(text, choices()); }

std::vector<std::string> loss::choices() { return {"warn", "refuse", "ignore"}; }
job::loss_policy loss::parse(const std::string& text) {
  const auto all = choices();
  return static_cast<job::loss_policy>(std::ranges::find(all, one_among(text, all)) - all.begin());
}

std::vector<std::string> packing::choices() { return {"auto", "none", "lz4", "zstd"}; }
image::packing packing::parse(const std::string& text) {
  return told_by<std::invalid_argument>([&] { return image::parse_packing(text); });
}

unsigned threads::parse(const std::string& text) {
  return told_by<std::invalid_argument>([&] { return image::parse_pack_threads(text); });
}

std::size_t kept::parse(const std::string& text) {
  return told_by<std::invalid_argument>([&] { return store::parse_keep(text); });
}

redundancy::scheme scheme::parse(const std::string& text) {
  return told_by<redundancy::redundancy_error>([&] { return redundancy::scheme::parse(text); });
}

void path_rules::add(files::path_map& rules, const std::string& text) {
  told_by<files::path_map_error>([&] { return rules.add(text), true; });
}

}  // namespace mana::option
