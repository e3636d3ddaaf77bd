#include "children.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>


namespace mana::process_state {

namespace {

std::set<int> of_the_mpi;

/// Of a process's entry in /proc: "pid (command) state parent …", where the command may hold anything.
bool read_child(const std::string& directory, child& c, int& parent) {
  std::ifstream file(directory + "/stat");
  std::string text;
  std::getline(file, text);
  const auto open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 4 > text.size()) return false;
  c.pid = std::atoi(text.c_str());
  c.command = text.substr(open + 1, close - open - 1);
  c.ended = text[close + 2] == 'Z';
  parent = std::atoi(text.c_str() + close + 4);
  return true;
}

/// The kernel's list, where it is built with CONFIG_PROC_CHILDREN: one of each thread.
bool read_lists(std::vector<child>& found) {
  std::error_code none;
  bool listed = false;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::ifstream list(thread.path() / "children");
    listed = listed || list.is_open();
    for (int pid = 0, parent = 0; list >> pid;)
      if (child c; read_child("/proc/" + std::to_string(pid), c, parent)) found.push_back(std::move(c));
  }
  return listed;
}

void search_all(std::vector<child>& found) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    const std::string name = entry.path().filename();
    child c;
    int parent = 0;
    if (std::all_of(name.begin(), name.end(), [](char d) { return d >= '0' && d <= '9'; }) &&
        read_child(entry.path(), c, parent) && parent == getpid())
      found.push_back(std::move(c));
  }
}

}  // namespace

std::vector<child> children() {
  siginfo_t ignored;
  if (waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return {};
  std::vector<child> found;
  if (!read_lists(found)) search_all(found);
  return found;
}

std::vector<child> children_of_program() {
  std::vector<child> found = children();
  std::erase_if(found, [](const child& c) { return of_the_mpi.contains(c.pid); });
  return found;
}

void these_are_the_mpis(const std::set<int>& pids) { of_the_mpi.insert(pids.begin(), pids.end()); }

}  // namespace mana::process_state
