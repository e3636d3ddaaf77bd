#include <runtime/process_state/thread_attributes.hpp>

#include <runtime/process_state/speculation.hpp>

#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>

namespace mana::process_state {

namespace {

constexpr unsigned long only_ask = 0xffffffff;    // of personality(2)

words read_timer_slack() { return one_word(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)); }
bool write_timer_slack(const words& value) { return prctl(PR_SET_TIMERSLACK, at(value, 0), 0, 0, 0) == 0; }

words read_death_signal() {
  int signal = 0;
  return prctl(PR_GET_PDEATHSIG, &signal, 0, 0, 0) == 0 ? one_word(signal) : words{};
}
bool write_death_signal(const words& value) { return prctl(PR_SET_PDEATHSIG, at(value, 0), 0, 0, 0) == 0; }

words read_personality() { return one_word(personality(only_ask)); }
bool write_personality(const words& value) { return personality(at(value, 0)) != -1; }

/// Contains SECBIT_KEEP_CAPS, which is PR_SET_KEEPCAPS.
words read_secure_bits() { return one_word(prctl(PR_GET_SECUREBITS, 0, 0, 0, 0)); }
bool write_secure_bits(const words& value) {
  if (prctl(PR_SET_SECUREBITS, at(value, 0), 0, 0, 0) == 0) return true;
  const std::uint64_t keep = at(value, 0) & SECBIT_KEEP_CAPS;
  return prctl(PR_SET_KEEPCAPS, keep != 0 ? 1 : 0, 0, 0, 0) == 0 && read_secure_bits() == value;
}

/// The number of groups, then the groups. System calls: libc's functions act on all threads of its half, the kernel's
/// on one.
words read_groups() {
  const long number = syscall(SYS_getgroups, 0, nullptr);
  if (number < 0) return {};
  std::vector<gid_t> groups(static_cast<std::size_t>(number));
  if (syscall(SYS_getgroups, number, groups.data()) != number) return {};
  words value{groups.size()};
  value.insert(value.end(), groups.begin(), groups.end());
  return value;
}
bool write_groups(const words& value) {
  std::vector<gid_t> groups;
  for (std::size_t i = 1; i < value.size(); ++i) groups.push_back(static_cast<gid_t>(value[i]));
  return syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

constexpr char login_file[] = "/proc/thread-self/loginuid";

/// The login that started the thread, for the system's audit. A thread may write only its own.
words read_login() { return number_in(login_file); }
bool write_login(const words& value) { return put_number(login_file, value); }

words read_no_new_rights() { return one_word(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)); }
bool write_no_new_rights(const words& value) { return at(value, 0) == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

/// For a thread that does not share its directory with the first (unshare, CLONE_FS): the umask, then the path, eight
/// bytes a word. Nothing for other threads, which have the process's.
words read_directory() {
  const long self = gettid(), first = getpid();
  char path[4096] = {}, ignored[1];
  const bool is_own = self != first && syscall(SYS_kcmp, self, first, KCMP_FS, 0, 0) > 0 &&
                      readlink("/proc/self/cwd", ignored, sizeof ignored) > 0;    // fails if the first thread has ended
  const ssize_t length = is_own ? readlink("/proc/thread-self/cwd", path, sizeof path - 1) : 0;
  if (length <= 0) return {};
  const mode_t mask = umask(077);
  umask(mask);
  words value(1 + (static_cast<std::size_t>(length) + 7) / 8);
  value[0] = mask;
  std::memcpy(value.data() + 1, path, static_cast<std::size_t>(length));
  return value;
}
bool write_directory(const words& value) {
  if (value.size() < 2) return true;
  const std::string path(reinterpret_cast<const char*>(value.data() + 1), (value.size() - 1) * sizeof value[0]);
  if (unshare(CLONE_FS) != 0 || chdir(path.c_str()) != 0) return false;
  umask(static_cast<mode_t>(value[0]));
  return true;
}

words read_machine_checks() { return one_word(prctl(PR_MCE_KILL_GET, 0, 0, 0, 0)); }
bool write_machine_checks(const words& value) { return prctl(PR_MCE_KILL, PR_MCE_KILL_SET, at(value, 0), 0, 0) == 0; }

words read_io_flusher() { return one_word(prctl(PR_GET_IO_FLUSHER, 0, 0, 0, 0)); }
bool write_io_flusher(const words& value) { return prctl(PR_SET_IO_FLUSHER, at(value, 0), 0, 0, 0) == 0; }

words read_time_counter() {
  int mode = 0;
  return prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 ? one_word(mode) : words{};
}
bool write_time_counter(const words& value) { return prctl(PR_SET_TSC, at(value, 0), 0, 0, 0) == 0; }

constexpr attribute rows[] = {
    {"scheduling", "scheduling policy and priority", read_scheduling, write_scheduling},
    {"io_priority", "priority of input and output", read_io_priority, write_io_priority},
    {"affinity", "affinity", read_affinity, write_affinity},
    {"memory_policy", "memory policy", read_memory_policy, write_memory_policy},
    {"timer_slack", "timer slack", read_timer_slack, write_timer_slack},
    {"death_signal", "signal at the parent's death", read_death_signal, write_death_signal},
    {"personality", "personality", read_personality, write_personality},
    {"groups", "supplementary groups", read_groups, write_groups},
    {"login", "audit's login id", read_login, write_login},
    {"no_new_privileges", "having given up new privileges", read_no_new_rights, write_no_new_rights},
    {"secure_bits", "secure bits", read_secure_bits, write_secure_bits},
    {"machine_checks", "what happens at a fault of memory (PR_MCE_KILL)", read_machine_checks, write_machine_checks},
    {"io_flusher", "being a part of input and output (PR_SET_IO_FLUSHER)", read_io_flusher, write_io_flusher},
    {"time_counter", "whether the processor's counter may be read (PR_SET_TSC)", read_time_counter, write_time_counter},
    {"store_bypass", "what it chose of the processor's guesses (PR_SPEC_STORE_BYPASS)", read_store_bypass, write_store_bypass},
    {"indirect_branch", "what it chose of the processor's guesses (PR_SPEC_INDIRECT_BRANCH)", read_indirect_branch,
     write_indirect_branch},
    {"first_level_flush", "what it chose of the processor's cache (PR_SPEC_L1D_FLUSH)", read_first_level_flush,
     write_first_level_flush},
    {"directory", "a thread's own working directory", read_directory, write_directory},
};

}  // namespace

std::span<const attribute> thread_attributes() noexcept { return rows; }

}  // namespace mana::process_state
