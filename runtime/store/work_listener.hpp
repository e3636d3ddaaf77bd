// Receives the progress of work that reads, writes or removes many bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mana::store {

/// The part of one file, or of one generation.
struct work_size {
  std::string name;                  // "rank 3", "checkpoint 12"
  std::uint64_t bytes = 0;
};

struct work_listener {
  /// Called once, before the first did().
  std::function<void(const std::vector<work_size>& parts)> begins = [](const std::vector<work_size>&) {};
  std::function<void(std::size_t part, std::uint64_t bytes)> did = [](std::size_t, std::uint64_t) {};
};

}  // namespace mana::store
