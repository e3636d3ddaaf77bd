#include <runtime/tools/options/option_checks.hpp>

#include <runtime/tools/mpi/launcher.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/signal_names.hpp>

#include <mana/clock/policies.hpp>
#include <mana/clock/tree.hpp>

#include <runtime/files/path_map.hpp>
#include <runtime/image/format/packing.hpp>
#include <runtime/image/write/pack_crew.hpp>
#include <runtime/redundancy/redundancy_error.hpp>
#include <runtime/redundancy/scheme.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/retention.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace mana::tools {
namespace {

/// out: how many digits there are; 0: none, or of a number that is too large
std::size_t read_digits(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
}

/// "", "B", "M", "MB", "Mi", "MiB" and so on, in any case. out: the power of two that it means
std::optional<unsigned> power_of(std::string unit) {
  for (char& c : unit) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::string_view prefixes = "kmgt";
  const std::size_t prefix = unit.empty() ? std::string_view::npos : prefixes.find(unit[0]);
  if (prefix == std::string_view::npos) return unit.empty() || unit == "b" ? std::optional(0u) : std::nullopt;
  const std::string left = unit.substr(1);
  if (!left.empty() && left != "b" && left != "i" && left != "ib") return std::nullopt;
  return 10 * static_cast<unsigned>(prefix + 1);
}

}  // namespace

const CLI::Validator& duration() {
  static const CLI::Validator check(
      [](std::string& text) {
        double value = -1;
        return CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e9
                   ? std::string()
                   : fmt::format("{} is not a number of seconds", text);
      },
      "");
  return check;
}

const CLI::Validator& known_mpi() {
  static const std::string names = [] {
    std::string all = "{" MANA_MPI_NAMES ",none}";
    std::erase(all, ' ');
    return all;
  }();
  static const CLI::Validator check(
      [](std::string& text) {
        return parse_mpi_name(text) ? std::string() : text + " is none of " MANA_MPI_NAMES ", none";
      },
      names);
  return check;
}

const CLI::Validator& known_clock() {
  static const CLI::Validator check(
      [](std::string& text) {
        return clock::with_policy(text, []<class P>() {}) && !text.empty()
                   ? std::string()
                   : fmt::format("{} is none of {}", text, fmt::join(clock::policy_names(), ", "));
      },
      fmt::format("{{{}}}", fmt::join(clock::policy_names(), ",")));
  return check;
}

const CLI::Validator& fan_out() {
  static const CLI::Validator check(
      [](std::string& text) {
        int value = 0;
        return CLI::detail::lexical_cast(text, value) && clock::is_fan_out(value)
                   ? std::string()
                   : fmt::format("{} is not a number from {} to {}", text, clock::least_fan_out, clock::most_fan_out);
      },
      "");
  return check;
}

const CLI::Validator& a_process() {
  static const CLI::Validator check(
      [](std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos
                   ? std::string()
                   : fmt::format("{} is no number of a process", text);
      },
      "");
  return check;
}

const CLI::Validator& a_number() {
  static const CLI::Validator check(
      [](std::string& text) {
        std::uint64_t value = 0;
        return !text.empty() && read_digits(text, value) == text.size() ? std::string() : fmt::format("{} is not a number", text);
      },
      "");
  return check;
}

const CLI::Validator& a_size() {
  static const CLI::Validator check(
      [](std::string& text) {
        const auto bytes = parse_size(text);
        if (!bytes) return fmt::format("{} is not a number of bytes greater than 0, as 4096, 100M or 2G", text);
        text = fmt::to_string(*bytes);
        return std::string();
      },
      "");
  return check;
}

const CLI::Validator& a_name() {
  static const CLI::Validator check(
      [](std::string& text) { return text.empty() ? std::string("the name is empty") : std::string(); }, "");
  return check;
}

const CLI::Validator& path_rule() {
  static const CLI::Validator check(
      [](std::string& text) {
        try {
          paths::path_map().add(text);
          return std::string();
        } catch (const paths::path_map_error& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
  return check;
}

const CLI::Validator& compression() {
  static const CLI::Validator check(
      [](std::string& text) {
        try {
          image::parse_packing(text);
          return std::string();
        } catch (const std::invalid_argument& wrong) {
          return std::string(wrong.what());
        }
      },
      "{auto,none,lz4,zstd}");
  return check;
}

const CLI::Validator& pack_threads() {
  static const CLI::Validator check(
      [](std::string& text) {
        try {
          image::parse_pack_threads(text);
          return std::string();
        } catch (const std::invalid_argument& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
  return check;
}

const CLI::Validator& a_keep() {
  static const CLI::Validator check(
      [](std::string& text) {
        try {
          store::parse_keep(text);
          return std::string();
        } catch (const std::invalid_argument& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
  return check;
}

const CLI::Validator& local_directory() {
  static const CLI::Validator check(
      [](std::string& text) {
        try {
          store::local_directory(text, "node");
          return std::string();
        } catch (const store::store_error& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
  return check;
}

const CLI::Validator& redundancy_scheme() {
  static const CLI::Validator check(
      [](std::string& text) {
        try {
          redundancy::scheme::parse(text);
          return std::string();
        } catch (const redundancy::redundancy_error& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
  return check;
}

const CLI::Validator& signals() {
  static const CLI::Validator check(
      [](std::string& text) {
        try {
          parse_signals(text);
          return std::string();
        } catch (const failure& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
  return check;
}

const CLI::Validator& a_range() {
  static const CLI::Validator check(
      [](std::string& text) {
        try {
          parse_address_range(text);
          return std::string();
        } catch (const std::invalid_argument& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
  return check;
}

paths::path_map path_map_of(const std::vector<std::string>& rules) {
  paths::path_map map;
  for (const std::string& rule : rules) {
    try {
      map.add(rule);
    } catch (const paths::path_map_error& wrong) {
      throw failure(exit_status::usage, std::string("--map: ") + wrong.what());
    }
  }
  return map;
}

std::optional<std::uint64_t> parse_size(const std::string& text) {
  std::uint64_t value = 0;
  const std::size_t digits = read_digits(text, value);
  const auto power = power_of(text.substr(digits));
  if (digits == 0 || value == 0 || !power || value > (UINT64_MAX >> *power)) return std::nullopt;
  return value << *power;
}

address_range parse_address_range(const std::string& text) {
  const auto address = [](std::string_view digits, std::uintptr_t& value) {
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const std::size_t dash = text.find('-');
  address_range range;
  if (dash == std::string::npos || !address(std::string_view(text).substr(0, dash), range.begin) ||
      !address(std::string_view(text).substr(dash + 1), range.end) || range.begin >= range.end)
    throw std::invalid_argument(text + " is not a range of addresses, as 0x200100000000-0x200100001000");
  return range;
}

}  // namespace mana::tools
