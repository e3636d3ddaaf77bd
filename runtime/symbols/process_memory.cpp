#include <runtime/symbols/process_memory.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace mana::symbols {

process_memory::process_memory(const std::string& pid) {
  read_maps(pid);
  fd_ = ::open(("/proc/" + pid + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0)
    throw memory_error("process " + pid + ": its memory cannot be read: " + std::strerror(errno), errno);
}

process_memory::~process_memory() { ::close(fd_); }

void process_memory::read_maps(const std::string& pid) {
  std::ifstream maps("/proc/" + pid + "/maps");
  std::string line;
  while (std::getline(maps, line)) {
    unsigned long begin = 0, end = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %*s %n", &begin, &end, &path_at) < 2 || path_at == 0) continue;
    std::string path = line.substr(static_cast<std::size_t>(path_at));
    if (!path.empty() && path[0] == '/') files_[begin] = {end, std::move(path)};
  }
}

bool process_memory::read(std::uintptr_t address, void* to, std::size_t n) const noexcept {
  ssize_t got = 0;
  do {
    got = ::pread(fd_, to, n, static_cast<off_t>(address));
  } while (got < 0 && errno == EINTR);
  return got >= 0 && static_cast<std::size_t>(got) == n;
}

std::string process_memory::file_at(std::uintptr_t address) const {
  auto at = files_.upper_bound(address);
  if (at == files_.begin()) return {};
  --at;
  return address < at->second.end ? at->second.path : std::string();
}

}  // namespace mana::symbols
