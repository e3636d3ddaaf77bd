#include "anonymous.hpp"
#include "capture.hpp"
#include "low_descriptor_guard.hpp"
#include "reopen.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

using nlohmann::json;

namespace mana::descriptors {

namespace {

/// Above the numbers of all rows, so that nothing is in the way when a row is placed.
int above_all(const json& rows) {
  int top = first_lower_descriptor();
  for (const json& row : rows) top = std::max(top, row["fd"].get<int>() + 1);
  return top;
}

class restorer {
 public:
  explicit restorer(const json& rows) : base_(above_all(rows)), files_(base_) {
    for (int number = 0; number < 3; ++number)
      launchers_[static_cast<std::size_t>(number)] = fcntl(number, F_DUPFD_CLOEXEC, base_);
  }
  ~restorer() {
    for (const int fd : launchers_)
      if (fd >= 0) close(fd);
  }
  restorer(const restorer&) = delete;
  restorer& operator=(const restorer&) = delete;

  void restore_row(const json& row) {
    const int number = row["fd"];
    const std::uint64_t file = row["file"];
    const int standard = row["standard"];
    held_.push_back({number, file, standard, row["inherited"]});
    if (standard >= 0) return place(standard_copy(standard), row);
    const auto first = first_of_file_.find(file);
    if (first != first_of_file_.end()) return place(duplicate_from(first->second, base_), row);
    place(files_.open(row), row);
    first_of_file_[file] = number;
  }

  /// What the program had closed of the launcher's three.
  void close_unheld_standard() const {
    for (int number = 0; number < 3; ++number) {
      if (std::any_of(held_.begin(), held_.end(), [=](const auto& d) { return d.number == number; })) continue;
      give_number(number);
      close(number);
    }
  }
  const std::vector<owned_descriptor>& held() const noexcept { return held_; }

 private:
  int standard_copy(int standard) const {
    const int copy = launchers_[static_cast<std::size_t>(standard)];
    if (copy >= 0) return duplicate_from(copy, base_);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);   // the launcher of the restart gave none
    if (nothing < 0) fail("/dev/null", "cannot be opened");
    const int made = duplicate_from(nothing, base_);
    close(nothing);
    return made;
  }

  /// Moves the new descriptor to the number that the program knows it by.
  static void place(int made, const json& row) {
    const int wanted = row["fd"];
    if (fcntl(wanted, F_GETFD) >= 0 && !give_number(wanted) && wanted > 2) {
      close(made);
      throw descriptor_error("descriptor " + std::to_string(wanted) + " of the program (" +
                             row.value("path", "a duplicate") + ") is in use in this process, by the MPI library or by "
                             "mana: raise the limit of open files (ulimit -n)");
    }
    const int flags = row["close_on_exec"].get<bool>() ? O_CLOEXEC : 0;
    if (dup3(made, wanted, flags) < 0) fail(row.value("path", "a descriptor"), "cannot be put at its number");
    close(made);
  }

  int base_;
  reopener files_;
  std::array<int, 3> launchers_;                       // copies of the new launcher's stdin, stdout, stderr; -1: closed
  std::vector<owned_descriptor> held_;
  std::map<std::uint64_t, int> first_of_file_;
};

}  // namespace

void restore(std::span<const std::uint8_t> bytes, const paths::path_map& moved) {
  try {
    json document = json::from_cbor(bytes.begin(), bytes.end());
    json& rows = document["descriptors"];
    for (json& row : rows)
      if (const auto path = row.find("path"); path != row.end()) *path = moved(path->get<std::string>());
    umask(document["umask"].get<mode_t>());
    restorer r(rows);
    for (const json& row : rows) r.restore_row(row);
    for (const json& row : rows)
      if (row.value("kind", "") == "epoll") watch_again(row);
    r.close_unheld_standard();
    release_low_numbers();
    begin_with(r.held());
  } catch (const json::exception& error) {
    throw descriptor_error(std::string("the image's list of descriptors is damaged: ") + error.what());
  }
}

}  // namespace mana::descriptors
