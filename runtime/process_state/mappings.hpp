// What a mapping has beside address, length, protection and contents: advice of madvise, a lock, a place among the nodes of
// memory, growth downward.
//
// /proc/self/smaps shows most of it, slowly: the kernel walks all page tables. So it is read only if the program has made
// one of the calls that the traps take notice of (split/traps/memory/advice.cpp). Guards are not there, and are found fast.
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
  bool sealed = false;               // by mseal: nobody changes it any more
  bool droppable = false;            // MAP_DROPPABLE: the kernel may take its contents away
  std::string name = {};             // by PR_SET_VMA_ANON_NAME
  int key = 0;                       // of pkey_mprotect; not in the image

  bool has_any() const noexcept {
    return !advice.empty() || lock != unlocked || grows || !policy.empty() || sealed || droppable || !name.empty();
  }
};

/// All that the kernel's list names and `wanted` takes; without policies.
std::vector<mapping_state> parse_mappings(std::istream& smaps,
                                          const std::function<bool(std::uint64_t begin, std::uint64_t end)>& wanted);

/// What MADV_GUARD_INSTALL has made of [begin, end), as advice. None where the kernel does not tell, before Linux 6.15.
std::vector<mapping_state> find_guards(std::uint64_t begin, std::uint64_t end);

/// Of the program's mappings those that have any, after its guards: none can be put into memory that is locked already.
std::vector<mapping_state> read_mappings();
/// Of some that read_mappings() has found: what a restart does not bring, in words; it is taken off them.
std::vector<std::string> take_keys(std::vector<mapping_state>& mappings);
/// Pairs of addresses: what the program mapped without a reservation. Nothing: it is not known, and all counts as such.
std::optional<words> read_unreserved();
/// In a new process, before any memory is mapped.
void write_unreserved(const std::optional<words>& pairs);

/// The flags that mlockall has now.
int locks_all() noexcept;

/// In a new process, before the mappings are filled. out: what could not be set, in words
std::vector<std::string> write_mappings(const std::vector<mapping_state>& mappings);
std::vector<std::string> lock_all(int flags);
/// When they are filled and protected.
std::vector<std::string> seal_mappings(const std::vector<mapping_state>& mappings);

}  // namespace mana::process_state
