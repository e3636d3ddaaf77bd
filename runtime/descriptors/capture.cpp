#include <runtime/descriptors/capture.hpp>

#include <runtime/descriptors/base/proc_info.hpp>
#include <runtime/descriptors/files/launchers_input.hpp>
#include <runtime/descriptors/files/locks.hpp>
#include <runtime/descriptors/files/nameless.hpp>
#include <runtime/descriptors/files/signals_of_files.hpp>
#include <runtime/descriptors/kinds/anonymous.hpp>
#include <runtime/descriptors/kinds/epoll.hpp>
#include <runtime/descriptors/kinds/message_queues.hpp>
#include <runtime/descriptors/kinds/pipes.hpp>
#include <runtime/descriptors/kinds/terminals.hpp>
#include <runtime/descriptors/kinds/watches.hpp>
#include <runtime/descriptors/sockets/describe.hpp>

#include <runtime/split/filter/input.hpp>

#include <fcntl.h>
#include <linux/magic.h>
#include <nlohmann/json.hpp>
#include <sys/statfs.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <set>

using nlohmann::json;

namespace mana::descriptors {

namespace {

/// Launchers leave ends of their own sockets and pipes open in the programs that they start.
bool is_launchers(int fd) {
  struct stat s{};
  return fstat(fd, &s) == 0 && (S_ISSOCK(s.st_mode) || S_ISFIFO(s.st_mode));
}

bool is_in_proc(int fd) {
  struct statfs system{};
  return fstatfs(fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// The path by which any process finds its own such entry of /proc. Empty: the entry belongs to another process, or to
/// a thread that will have another number. The first process of a machine has the same number everywhere.
std::string in_any_process(const std::string& path) {
  const std::string id = std::to_string(getpid()), own = "/proc/" + id, first_thread = own + "/task/" + id;
  const auto rest_after = [&path](const std::string& start) {
    const bool within = (path + "/").starts_with(start + "/");
    return within ? path.substr(start.size()) : std::string("no");
  };
  if (const std::string rest = rest_after(first_thread); rest != "no") return "/proc/thread-self" + rest;
  if (const std::string rest = rest_after(own); rest != "no")
    return rest.starts_with("/task/") ? std::string() : "/proc/self" + rest;
  const bool is_of_first = path == "/proc/1" || path.starts_with("/proc/1/");
  return !is_of_first && path.size() > 6 && path[6] >= '1' && path[6] <= '9' ? std::string() : path;
}

/// The path by which a process finds its own namespace of this kind, if `fd` is this process's namespace; else empty.
/// in: target  as /proc names the descriptor, "net:[4026531833]"
std::string own_namespace(int fd, const std::string& target) {
  struct stat its{}, own{};
  const std::string path = "/proc/self/ns/" + target.substr(0, target.find(':'));
  const bool is_own = fstat(fd, &its) == 0 && stat(path.c_str(), &own) == 0 && key_of(its) == key_of(own);
  return is_own ? path : std::string();
}

class describer {
 public:
  describer(std::span<const shared_mapping> mapped, std::span<const image::region> memory)
      : held_(held()), all_(held_), sockets_(all_), pipes_(all_), terminals_(all_), objects_(mapped, memory) {}

  json describe() {
    json list = json::array();
    std::set<std::uint64_t> seen;
    for (const owned_descriptor& d : held_) {
      if (fcntl(d.number, F_GETFD) < 0) continue;      // closed by a call that no trap sees
      if (d.inherited && d.standard < 0 && is_launchers(d.number)) continue;
      json row = {{"fd", d.number}, {"file", d.file}, {"standard", d.standard}, {"inherited", d.inherited},
                  {"close_on_exec", (fcntl(d.number, F_GETFD) & FD_CLOEXEC) != 0}};
      if (d.standard == 0) row["input_read"] = split::input_read();
      if (d.standard == 0 && keeps_input(d)) row.update({{"standard", -1}, {"inherited", false}});
      if (row.at("standard").get<int>() < 0 && seen.insert(d.file).second) row = describe_file(d, std::move(row));
      list.push_back(std::move(row));
    }
    return list;
  }

  /// Descriptors that are on their way in messages, and that the program has no other descriptor for.
  json describe_passed() {
    json list = json::array();
    for (const owned_descriptor& d : all_)
      if (sockets_.is_passed(d.number))
        list.push_back(describe_file(d, {{"fd", d.number}, {"file", d.file}, {"standard", -1}, {"inherited", false}, {"close_on_exec", true}}));
    return list;
  }

  /// Whether the rest of the launcher's standard input can be kept.
  bool keeps_input(const owned_descriptor& d) {
    if (!input_) input_ = look_at_input(d, said_);
    return *input_ == input_fate::kept;
  }

  json describe_directory() {
    char path[4096];
    const ssize_t n = readlink("/proc/self/cwd", path, sizeof path);
    json row = {{"path", std::string(path, static_cast<std::size_t>(n > 0 ? n : 0))}};
    const int fd = open("/proc/self/cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct stat s{};
    if (fd >= 0 && fstat(fd, &s) == 0 && !still_named(row.at("path"), s))
      row["object"] = objects_.describe(fd, s, row.at("path"), said_);
    if (fd >= 0) close(fd);
    return row;
  }

  json describe_private_files(std::span<const private_mapping> mappings) { return describe_private(mappings, all_, said_); }
  json take_objects() { return objects_.take(said_); }
  std::vector<image::region> take_contents() { return objects_.take_contents(); }
  const std::map<file_key, std::uint64_t>& lengths() const { return objects_.lengths(); }
  std::vector<std::string> take_warnings() { return said_.take(); }
  std::vector<std::string> take_sockets() { return said_.take_sockets(); }

 private:
  json describe_file(const owned_descriptor& d, json row) {
    struct stat s{};
    fstat(d.number, &s);
    row["flags"] = fcntl(d.number, F_GETFL);
    row["path"] = target_of(d.number);
    row["peer"] = d.peer;
    if ((row.at("flags").get<int>() & O_PATH) != 0) return named_or_object(d.number, s, std::move(row));
    describe_signals(d.number, row, said_);
    describe_locks(d.number, row);
    if (S_ISFIFO(s.st_mode)) return pipes_.describe(d.number, s, std::move(row), said_);
    if (terminals_.describe(d.number, s, row, said_)) return row;
    if (row.at("path").get<std::string>().starts_with("/") && !S_ISSOCK(s.st_mode))
      return named_or_object(d.number, s, std::move(row));
    return without_name(d, std::move(row));
  }

  json named_or_object(int fd, const struct stat& s, json row) {
    const std::string path = row.at("path");
    if (is_message_queue(fd)) {
      describe_message_queue(fd, row, said_);
      return row;
    }
    row["offset"] = (row.at("flags").get<int>() & O_PATH) != 0 ? 0 : lseek(fd, 0, SEEK_CUR);
    row["size"] = s.st_size;
    if (is_in_proc(fd)) {
      row["kind"] = "path";
      const std::string anywhere = in_any_process(path);
      return anywhere.empty() ? said_.lost(fd, std::move(row)) : with_path(std::move(row), anywhere);
    }
    row["kind"] = S_ISREG(s.st_mode) ? "regular" : "path";
    return still_named(path, s) && !is_hidden_rest(path) ? row : nameless(fd, s, std::move(row));
  }

  json nameless(int fd, const struct stat& s, json row) {
    const std::string path = row.at("path");
    if (const std::string other = other_name(path, s); !other.empty() && !is_hidden_rest(other))
      return with_path(std::move(row), other);
    const bool is_elsewhere = S_ISDIR(s.st_mode) && !path.ends_with(" (deleted)");   // in no mount that is visible here
    if (is_elsewhere || (!S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode))) return said_.lost(fd, std::move(row));
    if (S_ISREG(s.st_mode) && s.st_nlink > 0 && !is_hidden_rest(path))
      said_.warn(fd, row, "has another name in an unknown directory: after a restart the two names are separate files");
    row["object"] = objects_.describe(fd, s, path, said_);
    row["kind"] = "object";
    return row;
  }

  json without_name(const owned_descriptor& d, json row) {
    const std::string path = row.at("path");
    if (path == "anon_inode:[eventpoll]") describe_epoll(d.number, row, held_, said_);
    else if (path == "anon_inode:inotify") describe_watches(d, row, said_);
    else if (const std::string own = own_namespace(d.number, path); !own.empty())
      row.update({{"kind", "path"}, {"path", own}, {"offset", 0}});
    else if (!describe_anonymous(d.number, row) && !sockets_.describe(d, row, said_))
      return said_.lost(d.number, std::move(row));
    return row;
  }

  static json with_path(json row, const std::string& path) {
    row["path"] = path;
    return row;
  }

  const std::vector<owned_descriptor> held_;
  std::vector<owned_descriptor> all_;                // and descriptors on their way in messages
  socket_describer sockets_;
  pipe_describer pipes_;
  terminal_describer terminals_;
  object_describer objects_;
  report said_;
  std::optional<input_fate> input_;
};

mode_t current_umask() noexcept {
  const mode_t mask = umask(077);
  umask(mask);
  return mask;
}

}  // namespace

std::string name_of_machine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

captured capture(std::span<const shared_mapping> mapped, std::span<const image::region> memory,
                 std::span<const protected_mapping> closed, std::span<const private_mapping> privately) {
  look_at_shared();
  describer d(mapped, memory);
  json document = {{"machine", name_of_machine()}, {"umask", current_umask()}, {"descriptors", d.describe()},
                   {"passed", d.describe_passed()}, {"directory", d.describe_directory()}};
  document["objects"] = d.take_objects();
  document["protected"] = describe_protected(closed);
  document["private"] = d.describe_private_files(privately);
  return {json::to_cbor(document), d.take_warnings(), d.take_sockets(), d.take_contents(), d.lengths()};
}

}  // namespace mana::descriptors
