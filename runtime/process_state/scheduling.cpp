// A thread's time, processors and memory nodes. libc has no functions for most of these.
#include <runtime/process_state/thread_attributes.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace mana::process_state {

namespace {

/// The kernel's form since 3.14; libcs have it only lately.
struct scheduling {
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;     // ns
};
constexpr std::uint64_t reset_on_fork = 1;

constexpr long io_of_process = 1;              // IOPRIO_WHO_PROCESS: a thread, by its id
constexpr std::size_t most_processors = 8192, most_nodes = 1024;
constexpr int bits = 64;

}  // namespace

words read_scheduling() {
  scheduling s{};
  if (syscall(SYS_sched_getattr, 0, &s, sizeof s, 0) != 0) return {};
  return {s.policy,   s.flags & reset_on_fork, static_cast<std::uint64_t>(std::int64_t{s.nice}),
          s.priority, s.runtime,               s.deadline,
          s.period};
}

bool write_scheduling(const words& value) {
  const scheduling s{sizeof s, static_cast<std::uint32_t>(at(value, 0)), at(value, 1),
                     static_cast<std::int32_t>(at(value, 2)), static_cast<std::uint32_t>(at(value, 3)), at(value, 4),
                     at(value, 5), at(value, 6)};
  return syscall(SYS_sched_setattr, 0, &s, 0) == 0;
}

words read_io_priority() { return one_word(syscall(SYS_ioprio_get, io_of_process, 0)); }
bool write_io_priority(const words& value) { return syscall(SYS_ioprio_set, io_of_process, 0, at(value, 0)) == 0; }

words read_affinity() {
  words mask(most_processors / bits);
  const long bytes = syscall(SYS_sched_getaffinity, 0, mask.size() * sizeof mask[0], mask.data());
  if (bytes <= 0) return {};
  mask.resize((static_cast<std::size_t>(bytes) + sizeof mask[0] - 1) / sizeof mask[0]);
  while (mask.size() > 1 && mask.back() == 0) mask.pop_back();   // machines differ in the number of possible processors
  return mask;
}

std::uint64_t usable_processors() {
  std::uint64_t number = 0;
  for (const std::uint64_t word : read_affinity()) number += static_cast<std::uint64_t>(std::popcount(word));
  return number;
}

/// The kernel uses the processors that exist here. If none exists, the thread stays where its launcher put it.
bool write_affinity(const words& value) {
  return syscall(SYS_sched_setaffinity, 0, value.size() * sizeof value[0], value.data()) == 0 || errno == EINVAL;
}

/// Mode and flags, then the nodes.
words read_memory_policy() {
  int mode = 0;
  words value(1 + most_nodes / bits);
  if (syscall(SYS_get_mempolicy, &mode, value.data() + 1, most_nodes, nullptr, 0) != 0) return {};
  value[0] = static_cast<std::uint64_t>(mode);
  while (value.back() == 0 && value.size() > 2) value.pop_back();
  return value;
}

bool write_memory_policy(const words& value) {
  const std::size_t nodes = (value.size() - 1) * bits;
  return syscall(SYS_set_mempolicy, static_cast<int>(at(value, 0)), value.data() + 1, nodes + 1) == 0;
}

}  // namespace mana::process_state
