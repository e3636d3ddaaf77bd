#include <runtime/descriptors/base/low_descriptor_guard.hpp>
#include <runtime/descriptors/capture.hpp>
#include <runtime/descriptors/files/launchers_input.hpp>
#include <runtime/descriptors/files/locks.hpp>
#include <runtime/descriptors/files/signals_of_files.hpp>
#include <runtime/descriptors/kinds/anonymous.hpp>
#include <runtime/descriptors/kinds/epoll.hpp>
#include <runtime/descriptors/reopen.hpp>

#include <fcntl.h>
#include <runtime/files/read_document.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

using nlohmann::json;

namespace mana::descriptors {

namespace {

class restorer {
 public:
  restorer(const std::vector<const json*>& rows, const spare_numbers& spare, const object_maker& objects)
      : spare_(spare), files_(rows, spare, objects) {
    for (int number = 0; number < 3; ++number)
      launchers_[static_cast<std::size_t>(number)] = fcntl(number, F_GETFD) < 0 ? -1 : spare_.duplicate(number);
  }
  ~restorer() {
    for (const int fd : launchers_)
      if (fd >= 0) close(fd);
    for (const json& row : passed_) close(row.at("fd").get<int>());
  }
  restorer(const restorer&) = delete;
  restorer& operator=(const restorer&) = delete;

  void restore_row(const json& row) {
    const int number = row.at("fd");
    const std::uint64_t file = row.at("file");
    const int standard = row.at("standard");
    held_.push_back({number, file, standard, row.at("inherited"), row.value("peer", std::uint64_t{0})});
    if (standard >= 0) return place(standard_copy(standard), row);
    if (is_lost_input(row)) return place(standard_copy(0), row);
    const auto first = first_of_file_.find(file);
    if (first != first_of_file_.end()) return place(spare_.duplicate(first->second), row);
    place(files_.open(row), row);
    note_timer(row);
    with_signals_.push_back(&row);
    first_of_file_[file] = number;
  }

  /// A descriptor in a message has no number of the program's. Its timers start at once: nobody finds them later.
  void restore_passed(json row) {
    const int fd = files_.open(row);
    row["fd"] = fd;
    first_of_file_[row.at("file").get<std::uint64_t>()] = fd;
    note_timer(row);
    start_timers(nullptr);
    passed_.push_back(std::move(row));
  }

  /// Call when all are open. Fills the queues of sockets, then the sets of watched descriptors. Last it sets the
  /// receivers of signals.
  void finish(const json& rows) {
    files_.sockets().finish(first_of_file_);
    for (const json* all : {&rows, const_cast<const json*>(&passed_)})
      for (const json& row : *all)
        if (row.value("kind", "") == "epoll") watch_again(row);
    for (const json* row : with_signals_) set_signals(*row);
  }
  std::vector<std::string> take_notes() {
    std::vector<std::string> notes = files_.sockets().take_notes();
    for (std::string& note : files_.terminals().take_notes()) notes.push_back(std::move(note));
    return notes;
  }

  /// Closes those of the launcher's three that the program had closed.
  void close_unheld_standard() const {
    for (int number = 0; number < 3; ++number) {
      if (std::any_of(held_.begin(), held_.end(), [=](const auto& d) { return d.number == number; })) continue;
      give_number(number);
      close(number);
    }
  }
  const std::vector<owned_descriptor>& held() const noexcept { return held_; }

 private:
  /// A file that was the job's standard input, that the program had not read from, and that is gone.
  static bool is_lost_input(const json& row) {
    return row.at("fd") == 0 && row.at("inherited") && row.value("kind", "") == "regular" && row.at("offset") == 0 &&
           access(row.at("path").get<std::string>().c_str(), R_OK) != 0;
  }

  int standard_copy(int standard) const {
    const int copy = launchers_[static_cast<std::size_t>(standard)];
    if (copy >= 0) return spare_.duplicate(copy);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);   // the restart's launcher gave none
    if (nothing < 0) fail("/dev/null", "cannot be opened");
    return spare_.move(nothing);
  }

  /// Moves the new descriptor to the program's number for it.
  static void place(int made, const json& row) {
    const int wanted = row.at("fd");
    if (fcntl(wanted, F_GETFD) >= 0 && !give_number(wanted) && wanted > 2) {
      close(made);
      throw descriptor_error("descriptor " + std::to_string(wanted) + " of the program (" +
                             row.value("path", "a duplicate") + ") is in use in this process, by the MPI library or "
                                                                "by mana; raise the limit of open files (ulimit -n)");
    }
    const int flags = row.at("close_on_exec").get<bool>() ? O_CLOEXEC : 0;
    if (dup3(made, wanted, flags) < 0) fail(row.value("path", "a descriptor"), "cannot be put at its number");
    close(made);
  }

  const spare_numbers& spare_;
  reopener files_;
  std::array<int, 3> launchers_;                       // copies of the new launcher's stdin, stdout, stderr; -1: closed
  std::vector<owned_descriptor> held_;
  std::map<std::uint64_t, int> first_of_file_;
  std::vector<const json*> with_signals_;
  json passed_ = json::array();                        // rows with their numbers until the messages are sent
};

[[noreturn]] void damaged(const std::exception& error) {
  throw descriptor_error(std::string("the image's list of descriptors is damaged: ") + error.what());
}

/// Reads parts of the document. Missing fields and references to missing rows are damage.
template <class Read>
void read_with_care(Read&& read) {
  try {
    read();
  } catch (const json::exception& error) {
    damaged(error);
  } catch (const files::document_error& error) {
    damaged(error);
  } catch (const std::out_of_range& error) {
    damaged(error);
  }
}

void enter_directory(const json& directory, const object_maker& objects) {
  const std::string path = directory.at("path");
  const bool entered = directory.contains("object") ? fchdir(objects.descriptor(directory.at("object"))) == 0
                                                    : chdir(path.c_str()) == 0;
  if (!entered)
    throw descriptor_error(path + ": the program's working directory cannot be entered: " + std::strerror(errno) +
                           "; make it available, as it was at the checkpoint");
}

/// Replaces all paths of the document: of descriptors, objects, watches and the working directory.
json with_moved_paths(json document, const files::path_map& moved) {
  for (auto& [name, value] : document.items()) {
    if (name == "path" && value.is_string()) value = moved(value.get<std::string>());
    else if (value.is_structured()) value = with_moved_paths(std::move(value), moved);
  }
  return document;
}

void note_watches(const json& row) {
  for (const json& w : row.at("watches")) note_watch(row.at("file"), w.at("wd"), w.at("path"));
}

}  // namespace

struct restoration::parts {
  parts(std::span<const std::uint8_t> bytes, const files::path_map& moved, const std::string& input)
      : document(with_input(with_moved_paths(files::read_document(bytes), moved), input)),
        spare(document["descriptors"]), objects(document["objects"], spare) {}

  void place_all(const json& of) {
    const json& rows = of.at("descriptors");
    std::vector<const json*> all;
    const json passed = of.value("passed", json::array());
    for (const json& row : rows) all.push_back(&row);
    for (const json& row : passed) all.push_back(&row);
    restorer r(all, spare, objects);
    for (const json& row : passed) r.restore_passed(row);
    for (const json& row : rows) r.restore_row(row);
    r.finish(rows);
    notes = r.take_notes();
    r.close_unheld_standard();
    release_low_numbers();
    begin_with(r.held());
  }

  json document;
  spare_numbers spare;
  object_maker objects;
  std::vector<std::string> notes, changed_files;
};

restoration::restoration(std::span<const std::uint8_t> bytes, const files::path_map& moved, const std::string& input) {
  read_with_care([&] { parts_ = std::make_unique<parts>(bytes, moved, input); });
}

restoration::~restoration() = default;

std::vector<shared_object> restoration::shared() const { return parts_->objects.shared(); }
std::string restoration::machine() const { return parts_->document.value("machine", ""); }
void restoration::replace(file_key key, int by, std::int64_t size) { parts_->objects.replace(key, by, size); }

void restoration::fill() {
  read_with_care([&] { parts_->objects.fill(parts_->document.at("objects")); });
}

int restoration::segment_at(std::uintptr_t begin) const noexcept { return parts_->objects.segment_at(begin); }
int restoration::mapped_at(std::uintptr_t begin) const noexcept { return parts_->objects.mapped_at(begin); }
int restoration::contents_at(std::uintptr_t begin) const noexcept { return parts_->objects.contents_at(begin); }

std::optional<bool> restoration::may_be_written(std::uintptr_t begin) const {
  std::optional<bool> known;
  read_with_care([&] {
    known = descriptors::may_be_written(parts_->document.value("protected", json::array()), begin);
    for (const json& object : parts_->document.at("objects")) {
      const json& mapped = object.at("mapped");
      const bool is_sealed = (object.value("seals", 0) & F_SEAL_WRITE) != 0 && object.value("seals", 0) > 0;
      if (is_sealed && std::find(mapped.begin(), mapped.end(), begin) != mapped.end()) known = false;
    }
  });
  return known;
}

image::private_file restoration::private_file_at(std::uintptr_t begin) {
  image::private_file found;
  read_with_care([&] {
    const auto rows = parts_->document.find("private");
    if (rows != parts_->document.end())
      found = descriptors::private_file_at(*rows, begin, parts_->objects, parts_->changed_files);
  });
  return found;
}

std::vector<std::string> restoration::finish() {
  std::vector<std::string> notes;
  read_with_care([&] {
    const json document = std::move(parts_->document);
    const json& rows = document.at("descriptors");
    enter_directory(document.at("directory"), parts_->objects);
    umask(document.at("umask").get<mode_t>());
    parts_->place_all(document);
    notes = parts_->objects.finish(document.at("objects"));
    for (const auto* more : {&parts_->notes, &parts_->changed_files}) notes.insert(notes.end(), more->begin(), more->end());
    parts_.reset();                                    // closes the helpers' descriptors, before locks are taken
    for (const json& row : rows)
      if (row.value("kind", "") == "inotify") note_watches(row);
    for (const json& row : rows) lock_again(row);
  });
  return notes;
}

}  // namespace mana::descriptors
