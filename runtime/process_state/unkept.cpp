#include <runtime/process_state/unkept.hpp>

#include <runtime/split/window/own_filters.hpp>

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace mana::process_state {

namespace {

std::string read_all_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string line_in(const std::string& status, const std::string& name) {
  const std::size_t at = status.find("\n" + name + ":");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 2;
  return status.substr(begin, status.find('\n', begin) - begin);
}

std::string link_at(const std::string& path) {
  char text[4096];
  const ssize_t n = readlink(path.c_str(), text, sizeof text);
  return std::string(text, static_cast<std::size_t>(n > 0 ? n : 0));
}

constexpr const char* namespaces[] = {"mnt", "net", "ipc", "uts", "user", "cgroup", "pid_for_children", "time_for_children"};

/// The keyring's number; -1: it does not exist, or must not be asked for.
long keyring(long special) { return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, special, 0); }

/// The kernel's own keyrings, which live as long as the process and its thread.
bool has_keys() {
  return std::ranges::any_of(std::array{KEY_SPEC_PROCESS_KEYRING, KEY_SPEC_THREAD_KEYRING}, [](int special) {
    const long ring = keyring(special);
    return ring > 0 && syscall(SYS_keyctl, KEYCTL_READ, ring, nullptr, 0) > 0;
  });
}

using surroundings = std::map<std::string, std::string>;      // by the text for them

surroundings look() {
  const std::string status = read_all_of("/proc/self/status");
  surroundings all;
  all["user or group (setuid, setgid)"] = line_in(status, "Uid") + line_in(status, "Gid");
  std::string& rights = all["capabilities"];
  for (const char* name : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) rights += line_in(status, name);
  for (const char* name : namespaces) all[std::string("namespace (") + name + ")"] = link_at(std::string("/proc/self/ns/") + name);
  all["session keyring (keyctl)"] = std::to_string(keyring(KEY_SPEC_SESSION_KEYRING));
  all["root directory (chroot)"] = link_at("/proc/self/root");
  return all;
}

surroundings& given_surroundings() {
  static surroundings all;
  return all;
}

}  // namespace

unsigned long number_in_status(const std::string& status, const std::string& name) {
  return std::strtoul(line_in(status, name).c_str(), nullptr, 10);
}

void note_given_surroundings() { given_surroundings() = look(); }

std::vector<std::string> unkept(std::span<const int> threads) {
  std::vector<std::string> found;
  const surroundings now = look();
  for (const auto& [what, value] : given_surroundings())
    if (const auto is = now.find(what); is != now.end() && is->second != value)
      found.push_back("the program has changed its " + what + ": after a restart it has that of its new launcher");
  if (has_keys())
    found.emplace_back("the program has keys in the keyring of its process or thread (add_key): after a restart they "
                       "are lost");
  const auto filters = [](int thread) {
    return number_in_status(read_all_of("/proc/self/task/" + std::to_string(thread) + "/status"), "Seccomp_filters");
  };
  if (std::ranges::any_of(threads, [&](int t) { return filters(t) > split::own_filters(); }))
    found.emplace_back("the program has a filter of system calls of its own (seccomp): after a restart it has none");
  return found;
}

}  // namespace mana::process_state
