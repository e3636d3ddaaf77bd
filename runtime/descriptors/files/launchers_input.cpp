#include <runtime/descriptors/files/launchers_input.hpp>

#include <runtime/split/filter/input.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cstdint>

using nlohmann::json;

namespace mana::descriptors {

namespace {

bool has_ended(int fd) noexcept {
  pollfd asked{fd, POLLIN, 0};
  return poll(&asked, 1, 0) == 1 && (asked.revents & POLLHUP) != 0;
}

/// The program's position in its input: known for a file, counted for a pipe.
std::int64_t place_in(const json& row) {
  if (row.value("kind", "") == "regular") return row.value("offset", std::int64_t{0});
  return row.value("input_read", std::int64_t{0});
}

/// Standard input that a restart makes again: a file, or a pipe whose rest is in the image or which the program itself
/// writes. A file never replaces such an input.
bool is_programs_own(const json& row) {
  const std::string kind = row.value("kind", "");
  const bool is_made_again = kind == "pipe" ? row.value("is_whole", false) : kind != "socket";
  return row.at("standard") != 0 && !row.at("inherited").get<bool>() && !row.contains("input_read") && is_made_again;
}

}  // namespace

input_fate look_at_input(const owned_descriptor& d, report& said) {
  struct stat s{};
  const std::uint64_t read = split::input_read();
  if (fstat(d.number, &s) != 0 || !is_stream(d.number)) return input_fate::launchers;
  int unread = 0;
  ioctl(d.number, FIONREAD, &unread);
  const bool by_others = split::may_be_read_by_others();
  const bool begun = read > 0 || unread > 0 || by_others;
  if (S_ISFIFO(s.st_mode) && has_ended(d.number)) return begun ? input_fate::kept : input_fate::launchers;
  const std::string others =
      by_others ? " (processes without mana, or the program by another descriptor number, may have read more)" : "";
  if (read > 0 || by_others)
    said.warn("standard input comes from the launcher through a pipe, and the program has read " +
              std::to_string(read) + " bytes of it" + others + ": after a restart it reads the new launcher's input "
              "from its beginning; `mana restart --stdin FILE` continues in a FILE with the same input, "
              "`mana run --stdin FILE` avoids the pipe");
  return input_fate::launchers;
}

json with_input(json document, const std::string& file) {
  if (file.empty()) return document;
  std::uint64_t input = 0;
  for (const json& row : document.at("descriptors"))
    if (row.at("fd") == 0 && !is_programs_own(row)) input = row.at("file");
  for (json& row : document.at("descriptors")) {
    if (row.at("standard") != 0 && (input == 0 || row.at("file") != input)) continue;
    const std::int64_t place = place_in(row);
    json made = {{"kind", "regular"}, {"path", file}, {"flags", O_RDONLY}, {"offset", place}, {"size", place},
                 {"standard", -1}, {"inherited", true}, {"peer", 0}};
    for (const char* kept : {"fd", "file", "close_on_exec"}) made[kept] = row.at(kept);
    row = std::move(made);
  }
  return document;
}

}  // namespace mana::descriptors
