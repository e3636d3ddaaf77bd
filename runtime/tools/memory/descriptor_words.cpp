#include <runtime/tools/memory/descriptor_words.hpp>

#include <runtime/tools/text/text_table.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fcntl.h>

#include <array>
#include <cstdint>
#include <vector>

namespace mana::tools {
namespace {

using nlohmann::json;

template <class T>
T value(const json& row, const char* name, T otherwise) {
  const auto found = row.find(name);
  if (found == row.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>) return found->is_string() ? found->get<T>() : otherwise;
  else if constexpr (std::is_same_v<T, bool>) return found->is_boolean() ? found->get<T>() : otherwise;
  else return found->is_number_integer() ? found->get<T>() : otherwise;
}

std::string standard_name(int number) {
  static constexpr std::array names{"standard input", "standard output", "standard error"};
  return number >= 0 && number <= 2 ? names[static_cast<std::size_t>(number)] : "";
}

const char* access_of(long flags) {
  if ((flags & O_PATH) != 0) return "path only";
  switch (flags & O_ACCMODE) {
    case O_RDONLY: return "read";
    case O_WRONLY: return "write";
    default: return "read, write";
  }
}

std::uint64_t bytes_in_pipe(const json& row) {
  std::uint64_t bytes = 0;
  const auto parts = row.find("parts");
  if (parts == row.end() || !parts->is_array()) return 0;
  for (const json& part : *parts)
    if (part.is_binary()) bytes += part.get_binary().size();
  return bytes;
}

void add_position(const json& row, std::vector<std::string>& words) {
  const auto offset = value<std::int64_t>(row, "offset", -1), size = value<std::int64_t>(row, "size", -1);
  if (offset >= 0 && size >= 0) words.push_back(fmt::format("at {} of {}", offset, size));
}

std::string details_of(const json& row, const std::string& kind) {
  std::vector<std::string> words;
  if (const auto flags = value<std::int64_t>(row, "flags", -1); flags >= 0) {
    words.emplace_back(access_of(flags));
    if ((flags & O_APPEND) != 0) words.emplace_back("append");
    if ((flags & O_NONBLOCK) != 0) words.emplace_back("non-blocking");
  }
  if (kind == "regular" || kind == "object") add_position(row, words);
  if (const auto data = value<std::int64_t>(row, "data", -1); data >= 0)
    words.push_back(
        fmt::format("without a name now: {} of data in the image", human_bytes(static_cast<std::uint64_t>(data))));
  if (const auto why = value<std::string>(row, "unread", ""); !why.empty())
    words.push_back("without a name now: its contents are not in the image: " + why);
  if (const auto why = value<std::string>(row, "why", ""); !why.empty()) words.push_back(why);
  if (kind == "pipe") words.push_back(fmt::format("{} unread", human_bytes(bytes_in_pipe(row))));
  if (kind == "socket pair")
    words.push_back(fmt::format("with open file {}", value<std::int64_t>(row, "peer", 0)));
  if (kind == "epoll" && row.contains("watched") && row["watched"].is_array())
    words.push_back(fmt::format("{} watched", row["watched"].size()));
  if (value(row, "close_on_exec", false)) words.emplace_back("close-on-exec");
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Only the first row of an open file has its description.
const json* described_like(const json& row, const json& rows) {
  for (const json& other : rows)
    if (other.contains("kind") && value<std::int64_t>(other, "file", -1) == value<std::int64_t>(row, "file", -2))
      return &other;
  return nullptr;
}

}  // namespace

descriptor_words words_of(const json& row, const json& rows) {
  const int standard = value(row, "standard", -1);
  if (!standard_name(standard).empty()) return {standard_name(standard), "", "the launcher's"};
  if (row.contains("kind")) {
    const auto kind = value<std::string>(row, "kind", "unknown");
    return {kind, value<std::string>(row, "path", ""), details_of(row, kind)};
  }
  const json* const first = described_like(row, rows);
  if (first == nullptr) return {"unknown", "", ""};
  const auto kind = value<std::string>(*first, "kind", "unknown");
  return {kind, value<std::string>(*first, "path", ""),
          fmt::format("the open file of descriptor {}", value(*first, "fd", -1))};
}

nlohmann::ordered_json json_of_descriptor(const json& row) {
  nlohmann::ordered_json shown;
  for (const char* name : {"fd", "file", "kind", "path", "offset", "size", "flags", "close_on_exec", "inherited",
                           "standard", "peer", "capacity", "data", "unread", "why"})
    if (row.contains(name) && row[name].is_primitive() && !row[name].is_binary()) shown[name] = row[name];
  if (value<std::string>(row, "kind", "") == "pipe") shown["unread_bytes"] = bytes_in_pipe(row);
  return shown;
}

}  // namespace mana::tools
