#include <runtime/process_state/mappings.hpp>

#include <runtime/split/window/raw.hpp>
#include <runtime/split/window/reservations.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <mana/lower/zones.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <runtime/image/memory/pagemap_scan.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace mana::process_state {

namespace {

/// VmFlags of smaps; proc(5).
struct flag_row { const char* name; int advice; };
constexpr flag_row flags[] = {{"sr", MADV_SEQUENTIAL}, {"rr", MADV_RANDOM},     {"dc", MADV_DONTFORK},
                              {"dd", MADV_DONTDUMP},   {"wf", MADV_WIPEONFORK}, {"hg", MADV_HUGEPAGE},
                              {"nh", MADV_NOHUGEPAGE}, {"mg", MADV_MERGEABLE}};

constexpr int guard_install = 102;               // MADV_GUARD_INSTALL
constexpr int map_droppable = 0x08;             // MAP_DROPPABLE, Linux 6.11
constexpr int set_vma = 0x53564d41, anonymous_name = 0;     // PR_SET_VMA, PR_SET_VMA_ANON_NAME
constexpr unsigned page_is_guard = 1u << 8;      // PAGE_IS_GUARD
constexpr unsigned policy_at_address = 2;       // MPOL_F_ADDR
constexpr std::size_t most_nodes = 1024, bits = 64;

void read_flags(const std::string& line, bool whole, mapping_state& m) {
  std::istringstream names(line.substr(line.find(':') + 1));
  for (std::string name; names >> name;) {
    if (name == "lo") m.lock = whole ? locked_whole : locked_on_fault;
    if (name == "gd") m.grows = true;
    if (name == "sl") m.sealed = true;
    if (name == "dp") m.droppable = true;
    for (const flag_row& row : flags)
      if (name == row.name) m.advice.push_back(row.advice);
  }
}

/// The text after the file's number: "[anon:NAME]", "[anon_shmem:NAME]".
std::string name_in(const std::string& line) {
  const std::size_t kind = line.find(" [anon"), begin = line.find(':', kind == std::string::npos ? line.size() : kind);
  return begin == std::string::npos || line.back() != ']' ? std::string() : line.substr(begin + 1, line.size() - begin - 2);
}

/// Empty for the default, which the kernel returns for mappings without a policy.
words policy_at(std::uint64_t address) {
  int mode = 0;
  words value(1 + most_nodes / bits);
  if (syscall(SYS_get_mempolicy, &mode, value.data() + 1, most_nodes, address, policy_at_address) != 0) return {};
  if (mode == 0) return {};
  value[0] = static_cast<std::uint64_t>(mode);
  return value;
}

bool is_programs(std::uint64_t begin, std::uint64_t end) noexcept {
  const split::saved_state& state = split::saved();
  return (begin >= lower::window_begin && end <= lower::window_end) || lower::is_in_low_zone(begin, end) ||
         (begin >= state.fixed_begin && end <= state.fixed_end);
}

/// A mapping that grows, or whose contents the kernel may drop, must be made as such: no call changes another mapping
/// into one.
bool make_special(const mapping_state& m, void* at) noexcept {
  const int kind = m.droppable ? map_droppable : MAP_PRIVATE | MAP_GROWSDOWN;
  const auto make = [&](int more) {
    return mmap(at, m.end - m.begin, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_FIXED | kind | more, -1, 0) == at;
  };
  return make(split::reservation_flag(m.begin)) || (errno == ENOMEM && make(MAP_NORESERVE));
}

bool place(const mapping_state& m, void* at) noexcept {
  const std::size_t nodes = (m.policy.size() - 1) * bits;
  return syscall(SYS_mbind, at, m.end - m.begin, m.policy[0], m.policy.data() + 1, nodes + 1, 0) == 0;
}

/// Locks may need more than the launcher's soft limit, which the hard limit permits.
class locked_memory_allowed {
 public:
  locked_memory_allowed() noexcept {
    getrlimit(RLIMIT_MEMLOCK, &before_);
    const rlimit most{before_.rlim_max, before_.rlim_max};
    setrlimit(RLIMIT_MEMLOCK, &most);
  }
  ~locked_memory_allowed() { setrlimit(RLIMIT_MEMLOCK, &before_); }
  locked_memory_allowed(const locked_memory_allowed&) = delete;
  locked_memory_allowed& operator=(const locked_memory_allowed&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

std::vector<mapping_state> parse_mappings(std::istream& smaps,
                                          const std::function<bool(std::uint64_t, std::uint64_t)>& wanted) {
  std::vector<mapping_state> all;
  unsigned long begin = 0, end = 0, resident = 0;
  bool taken = false;
  for (std::string line; std::getline(smaps, line);) {
    if (line.empty()) continue;
    const bool is_range = (line[0] < 'A' || line[0] > 'Z') && std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2;
    if (is_range) taken = wanted(begin, end);
    if (!taken) continue;
    if (is_range) {
      all.emplace_back().begin = begin;
      all.back().end = end;
      all.back().name = name_in(line);
      resident = 0;
    }
    std::sscanf(line.c_str(), "Rss: %lu kB", &resident);
    std::sscanf(line.c_str(), "ProtectionKey: %d", &all.back().key);
    if (line.starts_with("VmFlags:")) read_flags(line, resident * 1024 == end - begin, all.back());
  }
  return all;
}

std::vector<mapping_state> find_guards(std::uint64_t begin, std::uint64_t end) {
  std::vector<mapping_state> found;
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  page_region part[64];
  pm_scan_arg scan{};
  scan.size = sizeof scan;
  scan.end = end;
  scan.vec = reinterpret_cast<std::uint64_t>(part);
  scan.vec_len = std::size(part);
  scan.category_mask = scan.return_mask = page_is_guard;
  for (scan.start = begin; scan.start < end; scan.start = scan.walk_end) {
    const int n = ioctl(pagemap, PAGEMAP_SCAN, &scan);
    if (n < 0 || scan.walk_end <= scan.start) break;
    for (int i = 0; i < n; ++i) {
      found.emplace_back().begin = part[i].start;
      found.back().end = part[i].end;
      found.back().advice = {guard_install};
    }
  }
  if (pagemap >= 0) close(pagemap);
  return found;
}

std::vector<mapping_state> read_mappings() {
  const split::saved_state& state = split::saved();
  std::vector<mapping_state> all = find_guards(lower::window_begin, lower::window_end);
  std::ranges::move(find_guards(lower::low_zone, lower::low_zone_end), std::back_inserter(all));
  std::ranges::move(find_guards(state.fixed_begin, state.fixed_end), std::back_inserter(all));
  if (state.has_advice == 0) return all;
  std::ifstream smaps("/proc/self/smaps");
  std::vector<mapping_state> advised = parse_mappings(smaps, is_programs);
  for (mapping_state& m : advised) m.policy = policy_at(m.begin);
  std::erase_if(advised, [](const mapping_state& m) { return !m.has_any() && m.key == 0; });
  std::ranges::move(advised, std::back_inserter(all));
  return all;
}

std::vector<std::string> take_keys(std::vector<mapping_state>& mappings) {
  const auto with = std::ranges::count_if(mappings, [](const mapping_state& m) { return m.key != 0; });
  std::erase_if(mappings, [](const mapping_state& m) { return m.key != 0 && !m.has_any(); });
  if (with == 0) return {};
  return {std::to_string(with) + (with == 1 ? " mapping has" : " mappings have") +
          " a protection key (pkey_mprotect): after a restart there are no keys, and only the protection of mprotect "
          "applies"};
}

std::optional<words> read_unreserved() {
  const auto ranges = split::unreserved_memory();
  if (!ranges) return std::nullopt;
  words pairs;
  for (const split::address_range& r : *ranges) pairs.insert(pairs.end(), {r.begin, r.end});
  return pairs;
}

void write_unreserved(const std::optional<words>& pairs) {
  if (!pairs) return split::set_unreserved_memory(std::nullopt);
  std::vector<split::address_range> ranges;
  for (std::size_t i = 0; i + 1 < pairs->size(); i += 2) ranges.push_back({(*pairs)[i], (*pairs)[i + 1]});
  split::set_unreserved_memory(ranges);
}

int locks_all() noexcept { return static_cast<int>(split::saved().locks_all); }

std::vector<std::string> write_mappings(const std::vector<mapping_state>& mappings) {
  std::set<std::string> refused;
  const locked_memory_allowed allowed;
  for (const mapping_state& m : mappings) {
    void* const at = reinterpret_cast<void*>(m.begin);
    const std::size_t bytes = m.end - m.begin;
    if ((m.grows || m.droppable) && !make_special(m, at))
      refused.insert(m.grows ? "a mapping that grows" : "memory that may be dropped (MAP_DROPPABLE)");
    for (const int advice : m.advice)
      if (madvise(at, bytes, advice) != 0) refused.insert("advice about memory");
    if (!m.policy.empty() && !place(m, at)) refused.insert("the place of memory");
    if (!m.name.empty() && prctl(set_vma, anonymous_name, at, bytes, m.name.c_str()) != 0)
      refused.insert("names of memory (PR_SET_VMA_ANON_NAME)");
    if (m.lock == unlocked) continue;
    if (syscall(SYS_mlock2, at, bytes, m.lock == locked_on_fault ? MLOCK_ONFAULT : 0) != 0)
      refused.insert("locked memory");
  }
  return {refused.begin(), refused.end()};
}

std::vector<std::string> seal_mappings(const std::vector<mapping_state>& mappings) {
  bool well = true;
  for (const mapping_state& m : mappings)
    if (m.sealed) well = syscall(split::number_of_mseal, m.begin, m.end - m.begin, 0) == 0 && well;
  return well ? std::vector<std::string>() : std::vector<std::string>{"seals of memory"};
}

/// Locks future mappings only: existing ones have their own locks.
std::vector<std::string> lock_all(int flags) {
  if ((flags & MCL_FUTURE) == 0) return {};
  const locked_memory_allowed allowed;
  if (mlockall(flags) == 0) return {};
  return {"locked memory"};
}

}  // namespace mana::process_state
