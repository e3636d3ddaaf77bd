// Values that the kernel keeps for a process or a thread, and how each is read and set.
//
// What the program has never changed is the job's: a restart leaves it as the new launcher gave it. What it changed is in
// the image, and stays so in later ones.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace mana::process_state {

using words = std::vector<std::uint64_t>;    // empty: this kernel has no such value

struct attribute {
  const char* name;                     // in the image
  const char* what;                     // for people
  words (*read)();                      // of the calling thread, or its process
  bool (*write)(const words& value);    // false: not allowed, or not possible here
};

using attribute_values = std::map<std::string, words>;

attribute_values read_all(std::span<const attribute> table);

/// Those that are not as in `given`, and those that had been changed before.
attribute_values changed(const attribute_values& now, const attribute_values& given, const std::set<std::string>& before);

/// Sets those that are not so already, in the table's order. out: what of it could not be set, in words
std::vector<std::string> write_all(std::span<const attribute> table, const attribute_values& wanted);

/// For tables' functions.
inline std::uint64_t at(const words& value, std::size_t i) noexcept { return i < value.size() ? value[i] : 0; }
/// A file of /proc that holds one decimal number, which may be negative.      file: its path
words number_in(const char* file);
bool put_number(const char* file, const words& value);
inline words one_word(long value) { return value < 0 ? words{} : words{static_cast<std::uint64_t>(value)}; }

}  // namespace mana::process_state
