// The upper half's descriptors as the image section "descriptors" keeps them.
#pragma once
#include "table.hpp"

#include <path_map.hpp>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace mana::descriptors {

struct captured {
  std::vector<std::uint8_t> bytes;
  std::vector<std::string> warnings;   // descriptors that a restart will find closed by the other side, in words
  std::vector<std::string> sockets;    // the same, of sockets
};

/// Regular files (also deleted ones up to max_kept_bytes), directories, devices, named and anonymous pipes (these with
/// what is in them), event counters, timers, signal descriptors, and epoll sets. All threads of the upper half are
/// parked.
captured capture();
inline constexpr std::int64_t max_kept_bytes = 64 << 20;

struct descriptor_error : std::runtime_error { using std::runtime_error::runtime_error; };

/// In a fresh process: opens everything again at its number, gives back the other low numbers that guards took, and
/// begins to watch. Files that have grown since are cut to the length that they had, so that nothing is written twice.
/// in:     moved  where files are that had another path at the checkpoint
/// errors: descriptor_error naming the file, or the number that is in use
void restore(std::span<const std::uint8_t> bytes, const paths::path_map& moved = {});

}  // namespace mana::descriptors
