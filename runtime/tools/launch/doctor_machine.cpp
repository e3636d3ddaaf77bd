// Checks of the machine, as far as a process of the user can see it.
#include <runtime/tools/launch/doctor.hpp>
#include <runtime/tools/launch/program_check.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <mana/lower/abi.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace mana::tools {
namespace {

namespace fs = std::filesystem;

/// out: the number in a file of /proc; -1 if there is none
long number_in(const char* path) {
  std::ifstream file(path);
  long value = -1;
  return file >> value ? value : -1;
}

finding kernel() {
  utsname system{};
  ::uname(&system);
  int major = 0, minor = 0;
  std::sscanf(system.release, "%d.%d", &major, &minor);
  const std::string text = fmt::format("Linux {}", system.release);
  if (major > 4 || (major == 4 && minor >= 17)) return {"kernel", verdict::ok, text, ""};
  return {"kernel", verdict::will_not_work, text + " is older than 4.17", "use a newer kernel"};
}

finding seccomp() {
  try {
    check_kernel();
    return {"seccomp", verdict::ok, "system calls can be filtered", ""};
  } catch (const failure& refused) {
    return as_finding("seccomp", refused);
  }
}

finding thread_pointer() {
  constexpr unsigned long hwcap2_fsgsbase = 2;
  if ((::getauxval(AT_HWCAP2) & hwcap2_fsgsbase) != 0)
    return {"fsgsbase", verdict::ok, "programs may write the thread pointer", ""};
  return {"fsgsbase", verdict::warning,
          "programs may not write the thread pointer: each MPI call costs two more system calls",
          "use a kernel 5.9 or newer, and a processor with FSGSBASE"};
}

finding tracing() {
  const long scope = number_in("/proc/sys/kernel/yama/ptrace_scope");
  const bool free = scope <= 0 || (scope < 3 && ::geteuid() == 0);
  if (free) return {"ptrace", verdict::ok, "ranks can be debugged (mana gdb)", ""};
  return {"ptrace", verdict::warning, fmt::format("ptrace_scope is {}: mana gdb cannot attach to ranks", scope),
          "sysctl kernel.yama.ptrace_scope=0"};
}

finding open_files() {
  constexpr rlim_t wanted = 1024;      // the lower half's descriptors begin at half the limit, at most at 512
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted)
    return {"open-files", verdict::ok, fmt::format("{} open files for each process", limit.rlim_cur), ""};
  return {"open-files", verdict::warning,
          fmt::format("{} open files for each process, half of which are the program's", limit.rlim_cur),
          "ulimit -n 1024"};
}

finding address_space() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur != RLIM_INFINITY)
    return {"addresses", verdict::warning,
            fmt::format("the address space is limited to {}, and reserved memory counts",
                        human_bytes(limit.rlim_cur)),
            "ulimit -v unlimited"};
  const int layout = ::personality(0xffffffff);
  if (layout >= 0 && (layout & ADDR_COMPAT_LAYOUT) != 0)
    return {"addresses", verdict::ok, "the older layout of addresses is set, and mana does not use it", ""};
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    unsigned long begin = 0, end = 0;
    const bool parsed = std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2;
    if (parsed && begin < lower::window_end && end > lower::window_begin)
      return {"addresses", verdict::will_not_work, "the addresses that the program needs are in use in every process: "
                                                   "" + line,
              "start without libraries that are preloaded"};
  }
  return {"addresses", verdict::ok, "the program's addresses are free", ""};
}

finding overcommit() {
  if (number_in("/proc/sys/vm/overcommit_memory") != 2)
    return {"overcommit", verdict::ok, "untouched memory costs nothing", ""};
  return {"overcommit", verdict::warning,
          "vm.overcommit_memory is 2: reserved memory counts, and ranks may find none left",
          "sysctl vm.overcommit_memory=0, or raise vm.overcommit_ratio"};
}

finding own_memory() {
  const int fd = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    ::close(fd);
    return {"proc", verdict::ok, "/proc shows a process its memory", ""};
  }
  return {"proc", verdict::will_not_work, fmt::format("/proc/self/pagemap cannot be read: {}", std::strerror(errno)),
          "mount /proc"};
}

/// Creates nothing: checks the nearest directory that exists.
finding checkpoint_directory(const std::string& wanted) {
  constexpr std::uint64_t little = std::uint64_t{1} << 30;
  std::error_code error;
  const fs::path all = fs::absolute(wanted, error).lexically_normal();
  fs::path there = all;
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const char* const remedy = "name another directory with --ckpt-dir";
  if (!fs::is_directory(there, error))
    return {"directory", verdict::will_not_work, fmt::format("{} is not a directory", there.string()), remedy};
  const int fd = ::open(there.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (fd < 0 && ((why != EOPNOTSUPP && why != EISDIR) || ::access(there.c_str(), W_OK | X_OK) != 0))
    return {"directory", verdict::will_not_work, fmt::format("{}: {}", there.string(), std::strerror(why)), remedy};
  struct statvfs space {};
  if (::statvfs(there.c_str(), &space) != 0 || space.f_blocks == 0)
    return {"directory", verdict::will_not_work, fmt::format("{} has no room for files", there.string()), remedy};
  const std::uint64_t bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  const std::string text = fmt::format("{}: {} are free", all.string(), human_bytes(bytes));
  if (bytes < little) return {"directory", verdict::warning, text, "a checkpoint takes as much as the ranks' memory"};
  return {"directory", verdict::ok, text, ""};
}

}  // namespace

findings examine_machine(const std::string& directory) {
  return {kernel(),        seccomp(),    thread_pointer(), tracing(), open_files(),
          address_space(), overcommit(), own_memory(),     checkpoint_directory(directory)};
}

}  // namespace mana::tools
