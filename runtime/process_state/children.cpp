#include <runtime/process_state/children.hpp>

#include <arch/registers.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/layout.h>

#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>


namespace mana::process_state {

namespace {

std::set<int> of_the_mpi;

/// Parses a process's entry in /proc: "pid (command) state parent …". The command may contain any character.
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

/// Reads the kernel's lists, one for each thread. They exist if the kernel was built with CONFIG_PROC_CHILDREN.
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

/// The system call that the park signal interrupted: it will be made again, or has ended with EINTR.     out: -1: none
long standing_in(const lower::thread_block& thread) noexcept {
  const auto* const context = static_cast<const ucontext_t*>(thread.interrupted);
  if (context == nullptr) return -1;
  const auto* const regs = arch::registers(*context);
  const auto* const at = reinterpret_cast<const unsigned char*>(regs[arch::instruction]);
  if (reinterpret_cast<std::uintptr_t>(at) == split::stub().call + arch::call_bytes)      // after a trapped call
    return *reinterpret_cast<const long*>(regs[arch::stack] + STUB_CALL_NUMBER);
  const long ended = regs[arch::result] == -EINTR ? arch::number_of_call_before(at) : -1;
  if (ended >= 0) return ended;
  return arch::is_call(at) ? regs[arch::result] : -1;
}

/// Shells wait for SIGCHLD too.
bool is_wait_for_child(long number) noexcept {
  const bool told = lower::the_bridge().signal_handlers[SIGCHLD] > 1;
  return number == SYS_wait4 || number == SYS_waitid || (told && number == SYS_rt_sigsuspend);
}

}  // namespace

bool waits_for_child() noexcept {
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    const lower::thread_block& thread = lower::thread_blocks()[i];
    const bool is_saved = i == lower::the_bridge().main_thread || thread.state.load() == lower::thread_state::parked;
    if (is_saved && is_wait_for_child(standing_in(thread))) return true;
  }
  return false;
}

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
