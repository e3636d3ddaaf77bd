// All members of a group in one thread: each runs until it waits for a message.
#pragma once
#include <runtime/redundancy/transport.hpp>

#include <exception>
#include <functional>
#include <string>
#include <vector>

/// What became of each member: empty if it returned, else its exception's text.
struct outcome {
  std::vector<std::string> errors;
  std::vector<std::exception_ptr> thrown;
  bool deadlock = false;           // all that were left waited for each other
  std::size_t left_over = 0;       // messages that nobody received
  std::size_t most_bytes = 0;      // in a message
  std::vector<std::size_t> received_bytes;     // by member

  bool all_well() const;
  bool all_failed() const;
};

/// Runs work(member, link) for each of them.
outcome run_members(unsigned count, const std::function<void(unsigned, mana::redundancy::transport&)>& work);
