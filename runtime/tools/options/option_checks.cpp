#include <runtime/tools/options/option_checks.hpp>

#include <runtime/tools/mpi/launcher.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/signal_names.hpp>

#include <runtime/files/path_map.hpp>

#include <mana/gen/families.hpp>

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace mana::tools {
namespace {

/// out: the number of digits; 0: no number, or too large
std::size_t read_digits(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
}

}  // namespace

template <>
CLI::Validator check_of<option::size>() {
  return CLI::Validator(
      [](std::string& text) {
        try {
          text = fmt::to_string(option::size::parse(text));
          return std::string();
        } catch (const option::wrong_value& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
}

template <>
CLI::Validator check_of<option::signals>() {
  return CLI::Validator(
      [](std::string& text) {
        try {
          parse_signals(text);
          return std::string();
        } catch (const failure& wrong) {
          return std::string(wrong.what());
        }
      },
      "");
}

template <>
CLI::Validator check_of<option::live_mpi_name>() {
  return CLI::Validator(
      [](std::string& text) {
        const bool is_name = !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == std::string::npos;
        return is_name ? std::string() : text + " is no name of a live MPI";
      },
      [] {      // names that installations have unless they were given others
        std::string names = "{" MANA_MPI_NAMES ",none}";
        std::erase(names, ' ');
        return names;
      }());
}

template <>
CLI::Validator check_of<option::abi_name>() {
  return CLI::Validator(
      [](std::string& text) {
        const auto found = parse_mpi_name(text);
        return found && *found != mana::mpi_name::none ? std::string() : text + " is none of " MANA_MPI_NAMES;
      },
      [] {
        std::string names = "{" MANA_MPI_NAMES "}";
        std::erase(names, ' ');
        return names;
      }());
}

const CLI::Validator& a_process() {
  static const CLI::Validator check(
      [](std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos
                   ? std::string()
                   : fmt::format("{} is not a process number", text);
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

files::path_map path_map_of(const std::vector<std::string>& rules) {
  files::path_map map;
  for (const std::string& rule : rules) {
    try {
      map.add(rule);
    } catch (const files::path_map_error& wrong) {
      throw failure(exit_status::usage, std::string("--map: ") + wrong.what());
    }
  }
  return map;
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
    throw std::invalid_argument(text + " is not a range of addresses like 0x200100000000-0x200100001000");
  return range;
}

}  // namespace mana::tools
