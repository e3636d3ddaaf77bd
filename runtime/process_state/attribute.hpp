// Values that the kernel keeps for a process or a thread, and how to read and set each.
//
// A value that the program has never changed belongs to the job: a restart leaves it as the new launcher gave it. A
// changed value is in the image, and in later images.
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
  const char* what;                     // for users
  words (*read)();                      // of the calling thread, or of its process
  bool (*write)(const words& value);    // out: false: not permitted, or not possible here
};

using attribute_values = std::map<std::string, words>;

attribute_values read_all(std::span<const attribute> table);

/// Values that differ from `given`, and values that had been changed before.
attribute_values changed(const attribute_values& now, const attribute_values& given, const std::set<std::string>& before);

/// Sets the values that differ, in the table's order. out: values that could not be set, as text
std::vector<std::string> write_all(std::span<const attribute> table, const attribute_values& wanted);

/// For the tables' functions.
inline std::uint64_t at(const words& value, std::size_t i) noexcept { return i < value.size() ? value[i] : 0; }
/// A file of /proc that holds one decimal number, which may be negative.      file: its path
words number_in(const char* file);
bool put_number(const char* file, const words& value);
inline words one_word(long value) { return value < 0 ? words{} : words{static_cast<std::uint64_t>(value)}; }

}  // namespace mana::process_state
