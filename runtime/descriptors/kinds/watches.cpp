#include <runtime/descriptors/kinds/watches.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/base/proc_info.hpp>

#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr int most_numbers_tried = 1 << 20;

/// The kernel assigns numbers in turn: unwanted numbers are given back until the wanted one comes.
bool watch_as(int fd, const std::string& path, std::uint32_t mask, int wanted) {
  for (int tries = 0; tries < most_numbers_tried; ++tries) {
    const int got = inotify_add_watch(fd, path.c_str(), mask);
    if (got == wanted) return true;
    if (got < 0 || got > wanted) break;
    inotify_rm_watch(fd, got);
  }
  return false;
}

/// The removal of a watch leaves an event behind.
void read_all_events(int fd) {
  char events[4096];
  for (int n = 0; ioctl(fd, FIONREAD, &n) == 0 && n > 0;)
    if (read(fd, events, sizeof events) <= 0) break;
}

}  // namespace

void describe_watches(const owned_descriptor& own, json& row, report& said) {
  row["kind"] = "inotify";
  row["watches"] = json::array();
  int unread = 0;
  if (ioctl(own.number, FIONREAD, &unread) == 0 && unread > 0)
    said.warn(own.number, row, "has unread events: after a restart they are lost");
  for (const std::string& line : info_lines(own.number, "inotify ")) {
    int wd = 0;
    unsigned long inode = 0, device = 0;
    unsigned mask = 0;
    if (std::sscanf(line.c_str(), "wd:%x ino:%lx sdev:%lx mask:%x", &wd, &inode, &device, &mask) != 4) continue;
    const std::string path = watched_path(own.file, wd);
    struct stat now{};
    if (!path.empty() && lstat(path.c_str(), &now) == 0 && now.st_ino == inode)
      row["watches"].push_back({{"wd", wd}, {"mask", mask}, {"path", path}});
    else
      said.warn(own.number, row, "watches an object that no name finds (watch " + std::to_string(wd) +
                                     "): after a restart it does not");
  }
}

int watch_files(const json& row) {
  const int fd = inotify_init1(IN_CLOEXEC | (row.at("flags").get<int>() & IN_NONBLOCK));
  if (fd < 0) return fd;
  std::vector<json> all(row.at("watches").begin(), row.at("watches").end());
  std::sort(all.begin(), all.end(), [](const json& a, const json& b) { return a.at("wd") < b.at("wd"); });
  for (const json& w : all)
    if (!watch_as(fd, w.at("path"), w.at("mask"), w.at("wd"))) fail(w.at("path"), "cannot be watched again");
  read_all_events(fd);
  return fd;
}

}  // namespace mana::descriptors
