// The section's contents, and their form: CBOR, whose members are those of the structures, by name.
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
  int pid = 0;                                        // in the process that was saved
  attribute_values process, limits;                   // that the program changed
  std::map<std::uint32_t, thread_record> threads;     // by their blocks' indices
  signal_queue pending;                               // for the process
  interval_timers intervals{};
  std::vector<posix_timer> timers;
  std::vector<mapping_state> mappings;                // those that have any
  int locks_all = 0;                                  // MCL_*
  std::uint64_t processors = 0;                       // that the initial thread might run on; 0: not known
  std::vector<async_ring_state> async_rings;
  std::vector<kept_notice> notices;                   // of message queues
  std::optional<words> unreserved;                    // memory, pairs of addresses; nothing: not known, all is
  std::uint64_t stack_limit = 0;                      // soft, bytes, also if unchanged; 0: not known
};

std::vector<std::uint8_t> encode(const section& s);

/// errors: std::exception if the bytes are no such section. Members that it has not stay as they are.
section decode(std::span<const std::uint8_t> bytes);

}  // namespace mana::process_state
