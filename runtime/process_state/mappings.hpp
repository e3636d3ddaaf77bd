// Properties of a mapping besides address, length, protection and contents: advice of madvise, a lock, a place on the
// nodes of memory, growth downward.
//
// /proc/self/smaps shows most of these, slowly: the kernel walks all page tables. So mana reads it only if the program
// has made one of the calls that the traps note (split/traps/memory/advice.cpp). Guards are missing there, but are
// found fast.
#pragma once
#include <runtime/process_state/attribute.hpp>

#include <functional>
#include <istream>
#include <optional>

namespace mana::process_state {

enum mapping_lock : int { unlocked = 0, locked_whole = 1, locked_on_fault = 2 };

struct mapping_state {
  std::uint64_t begin = 0, end = 0;
  std::vector<int> advice;           // MADV_*
  int lock = unlocked;               // mapping_lock
  bool grows = false;                // downward, by faults
  words policy;                      // of mbind: mode and flags, then the nodes; empty: none
  bool sealed = false;               // by mseal: nobody can change it
  bool droppable = false;            // MAP_DROPPABLE: the kernel may drop its contents
  std::string name = {};             // by PR_SET_VMA_ANON_NAME
  int key = 0;                       // of pkey_mprotect; not in the image

  bool has_any() const noexcept {
    return !advice.empty() || lock != unlocked || grows || !policy.empty() || sealed || droppable || !name.empty();
  }
};

/// All mappings of the kernel's list that `wanted` accepts; without policies.
std::vector<mapping_state> parse_mappings(std::istream& smaps,
                                          const std::function<bool(std::uint64_t begin, std::uint64_t end)>& wanted);

/// Guards of MADV_GUARD_INSTALL in [begin, end), as advice. None if the kernel does not tell, before Linux 6.15.
std::vector<mapping_state> find_guards(std::uint64_t begin, std::uint64_t end);

/// The program's mappings with such properties, after its guards: locked memory takes no guards.
std::vector<mapping_state> read_mappings();
/// Removes the keys from mappings of read_mappings(). out: what a restart will lack, as text
std::vector<std::string> take_keys(std::vector<mapping_state>& mappings);
/// Pairs of addresses: memory that the program mapped without a reservation. Nothing: not known, so that all memory
/// counts.
std::optional<words> read_unreserved();
/// Call in a new process, before any memory is mapped.
void write_unreserved(const std::optional<words>& pairs);

/// The present flags of mlockall.
int locks_all() noexcept;

/// Call in a new process, before the mappings are filled. out: properties that could not be set, as text
std::vector<std::string> write_mappings(const std::vector<mapping_state>& mappings);
std::vector<std::string> lock_all(int flags);
/// Call when the mappings are filled and protected.
std::vector<std::string> seal_mappings(const std::vector<mapping_state>& mappings);

}  // namespace mana::process_state
