// The contents of the section, and their form: CBOR whose members are the members of these structures, by name.
#pragma once
#include <runtime/process_state/async_rings.hpp>
#include <runtime/process_state/kept_notices.hpp>
#include <runtime/process_state/mappings.hpp>
#include <runtime/process_state/thread_records.hpp>
#include <runtime/process_state/timers.hpp>

#include <optional>
#include <span>

namespace mana::process_state {

struct section {
  int pid = 0;                                        // of the saved process
  attribute_values process, limits;                   // that the program changed
  std::map<std::uint32_t, thread_record> threads;     // by their blocks' indices
  signal_queue pending;                               // for the process
  interval_timers intervals{};
  std::vector<posix_timer> timers;
  std::vector<mapping_state> mappings;                // with a property to restore
  int locks_all = 0;                                  // MCL_*
  std::uint64_t processors = 0;                       // for the initial thread; 0: not known
  std::vector<async_ring_state> async_rings;
  std::vector<kept_notice> notices;                   // of message queues
  std::optional<words> unreserved;                    // memory, pairs of addresses; nothing: not known, all counts
  std::uint64_t stack_limit = 0;                      // soft, in bytes, even if unchanged; 0: not known
};

std::vector<std::uint8_t> encode(const section& s);

/// errors: std::exception if the bytes are not such a section. Missing members keep their defaults.
section decode(std::span<const std::uint8_t> bytes);

}  // namespace mana::process_state
