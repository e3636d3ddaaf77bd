// The threads of this process, as the kernel lists them.
#pragma once
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct own_task {
  int id = 0;
  int nice = 0;
  bool blocks_all_signals = false;         // but SIGKILL and SIGSTOP
};

inline std::vector<own_task> own_tasks() {
  std::vector<own_task> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", none)) {
    own_task task;
    task.id = std::stoi(entry.path().filename());
    std::string text, word;
    std::ifstream stat(entry.path() / "stat");
    if (!std::getline(stat, text)) continue;             // it has ended meanwhile
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    for (int field = 3; field <= 19; ++field) fields >> word;
    task.nice = std::stoi(word);
    constexpr unsigned long never = 1ul << 8 | 1ul << 18;      // bit n-1: signal n
    std::ifstream status(entry.path() / "status");
    while (std::getline(status, text))
      if (text.starts_with("SigBlk:"))
        task.blocks_all_signals = (std::stoul(text.substr(7), nullptr, 16) | never) == ~0ul;
    found.push_back(task);
  }
  return found;
}

/// The kernel says that a thread has ended a little before it takes it off the list.     out: false: others are there
/// still
inline bool become_alone() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (own_tasks().size() > 1)
    if (std::chrono::steady_clock::now() > end) return false;
    else std::this_thread::yield();
  return true;
}
