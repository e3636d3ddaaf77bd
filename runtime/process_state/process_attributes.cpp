#include <runtime/process_state/process_attributes.hpp>

#include <runtime/process_state/terminal.hpp>

#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

namespace mana::process_state {

namespace {

words read_dumpable() { return one_word(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)); }
/// 2 (only root may read the dump) is set by the system, and no process can set it.
bool write_dumpable(const words& value) { return prctl(PR_SET_DUMPABLE, at(value, 0), 0, 0, 0) == 0; }

words read_subreaper() {
  int set = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &set, 0, 0, 0) == 0 ? one_word(set) : words{};
}
bool write_subreaper(const words& value) { return prctl(PR_SET_CHILD_SUBREAPER, at(value, 0), 0, 0, 0) == 0; }

words read_huge_pages_off() { return one_word(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0)); }
/// Newer kernels also return flags, which are the next argument.
bool write_huge_pages_off(const words& value) {
  return prctl(PR_SET_THP_DISABLE, at(value, 0) & 1, at(value, 0) & ~std::uint64_t{1}, 0, 0) == 0;
}

constexpr int set_memory_merge = 67, get_memory_merge = 68;      // PR_SET_MEMORY_MERGE, Linux 6.4

words read_merging() {
  const int merges = prctl(get_memory_merge, 0, 0, 0, 0);
  return merges >= 0 ? one_word(merges) : words{};
}
bool write_merging(const words& value) { return prctl(set_memory_merge, at(value, 0), 0, 0, 0) == 0; }

constexpr int set_write_or_execute = 65, get_write_or_execute = 66;      // PR_SET_MDWE, Linux 6.3
words read_write_or_execute() { return one_word(prctl(get_write_or_execute, 0, 0, 0, 0)); }
/// Cannot be undone.
bool write_write_or_execute(const words& value) { return prctl(set_write_or_execute, at(value, 0), 0, 0, 0) == 0; }

constexpr char oom_file[] = "/proc/self/oom_score_adj";

words read_oom_score() { return number_in(oom_file); }
bool write_oom_score(const words& value) { return put_number(oom_file, value); }

constexpr char dump_file[] = "/proc/self/coredump_filter";

words read_dump_filter() {
  std::ifstream file(dump_file);
  std::uint64_t bits = 0;
  return file >> std::hex >> bits ? words{bits} : words{};
}
bool write_dump_filter(const words& value) { return put_number(dump_file, value); }

struct barrier { int registers, uses; };
constexpr barrier barriers[] = {
    {MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0},
    {MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, MEMBARRIER_CMD_PRIVATE_EXPEDITED},
    {MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE},
    {MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ}};
constexpr int get_registrations = 1 << 9;      // MEMBARRIER_CMD_GET_REGISTRATIONS, Linux 6.3

/// Older kernels do not tell, so each command is tried: without its registration a command fails, and changes nothing.
words read_barriers() {
  const long told = syscall(SYS_membarrier, get_registrations, 0, 0);
  if (told >= 0) return one_word(told);
  std::uint64_t found = 0;
  for (const barrier& b : barriers)
    if (b.uses != 0 && syscall(SYS_membarrier, b.uses, 0, 0) == 0) found |= static_cast<std::uint64_t>(b.registers);
  return {found};
}
bool write_barriers(const words& value) {
  bool all = true;
  for (const barrier& b : barriers)
    if ((at(value, 0) & static_cast<std::uint64_t>(b.registers)) != 0)
      all = syscall(SYS_membarrier, b.registers, 0, 0) == 0 && all;
  return all;
}

// The first is process_attributes_of_memory().
constexpr attribute rows[] = {
    {"huge_pages_off", "doing without huge pages", read_huge_pages_off, write_huge_pages_off},
    {"subreaper", "being the reaper of its children's children", read_subreaper, write_subreaper},
    {"oom_score", "oom_score_adj", read_oom_score, write_oom_score},
    {"dump_filter", "what a core dump holds (coredump_filter)", read_dump_filter, write_dump_filter},
    {"membarrier", "registrations for membarrier", read_barriers, write_barriers},
    {"merging", "memory that may be merged", read_merging, write_merging},
    {"dumpable", "dumpable", read_dumpable, write_dumpable},
    {"write_or_execute", "having no memory to write to and to execute (PR_SET_MDWE)", read_write_or_execute,
     write_write_or_execute},
    {"terminal", "settings of the launcher's terminal (tcsetattr)", read_terminal, write_terminal},
};

struct limit_row { const char* name; __rlimit_resource which; };
constexpr limit_row limits[] = {
    {"cpu", RLIMIT_CPU},         {"file size", RLIMIT_FSIZE},         {"data", RLIMIT_DATA},
    {"stack", RLIMIT_STACK},     {"core", RLIMIT_CORE},               {"resident memory", RLIMIT_RSS},
    {"processes", RLIMIT_NPROC}, {"open files", RLIMIT_NOFILE},       {"locked memory", RLIMIT_MEMLOCK},
    {"memory", RLIMIT_AS},       {"locks", RLIMIT_LOCKS},             {"pending signals", RLIMIT_SIGPENDING},
    {"nice", RLIMIT_NICE},       {"message queues", RLIMIT_MSGQUEUE}, {"real-time priority", RLIMIT_RTPRIO},
    {"real-time time", RLIMIT_RTTIME}};

}  // namespace

std::span<const attribute> process_attributes() noexcept { return rows; }

std::span<const attribute> process_attributes_of_memory() noexcept { return std::span(rows).first(1); }

attribute_values read_limits() {
  attribute_values all;
  for (const limit_row& row : limits)
    if (rlimit r{}; getrlimit(row.which, &r) == 0) all.emplace(row.name, words{r.rlim_cur, r.rlim_max});
  return all;
}

std::uint64_t soft_stack_limit() noexcept {
  rlimit now{};
  return getrlimit(RLIMIT_STACK, &now) == 0 ? now.rlim_cur : 0;
}

void keep_stack_limit(std::uint64_t soft) noexcept {
  rlimit now{};
  if (soft == 0 || getrlimit(RLIMIT_STACK, &now) != 0) return;
  now.rlim_cur = std::min<rlim_t>(soft, now.rlim_max);
  setrlimit(RLIMIT_STACK, &now);
}

rlimit fitted_limit(const rlimit& saved, const rlimit& here, bool may_raise) noexcept {
  const rlim_t hard = may_raise ? saved.rlim_max : std::min(saved.rlim_max, here.rlim_max);
  return {std::min(saved.rlim_cur, hard), hard};
}

std::vector<std::string> write_limits(const attribute_values& wanted) {
  std::vector<std::string> lower;
  for (const limit_row& row : limits) {
    const auto value = wanted.find(row.name);
    rlimit here{};
    if (value == wanted.end() || getrlimit(row.which, &here) != 0) continue;
    const rlimit saved{at(value->second, 0), at(value->second, 1)};
    const rlimit whole = fitted_limit(saved, here, true), part = fitted_limit(saved, here, false);
    if (setrlimit(row.which, &whole) == 0) continue;
    if (setrlimit(row.which, &part) != 0 || part.rlim_cur < saved.rlim_cur)
      lower.push_back(std::string("limit of ") + row.name);
  }
  return lower;
}

}  // namespace mana::process_state
