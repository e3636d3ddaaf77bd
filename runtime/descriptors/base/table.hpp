// Lists the upper half's descriptors, and which of them share an open file.
#pragma once
#include <runtime/descriptors/base/standard_files.hpp>

#include <runtime/split/filter/input.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::descriptors {

struct owned_descriptor {
  int number;
  std::uint64_t file;     // equal for descriptors that share one open file (dup)
  int standard;           // 0, 1, 2: it is the launcher's stdin, stdout or stderr, or a duplicate; else -1
  bool inherited;         // from the process that started the program
  std::uint64_t peer = 0; // `file` of the other end of a socket pair; 0: not of a pair
};

/// Gives back the low numbers that guards took. Open descriptors below first_lower_descriptor() are then the upper
/// half's; `launchers` tells which of them are the launcher's. From now on the traps report each descriptor that the
/// upper half opens or closes.
/// in: counted  reads of the launcher's standard input by an earlier program of this process
void begin(const standard_files& launchers = standard_files::here(), split::earlier_count counted = {});

/// A child that shared this process's table of descriptors may have opened, exchanged and closed some. They belong to
/// the upper half, as all low numbers do. Does nothing if no such child existed.
void look_at_shared();

/// The upper half's descriptors, ascending.
std::vector<owned_descriptor> held();

/// Absolute name of the file that a descriptor of inotify watches as `watch`; empty: not known.
std::string watched_path(std::uint64_t file, int watch);
/// Called by the traps.
void note_watch(std::uint64_t file, int watch, const std::string& path);

/// After a restart: exactly these belong to the upper half.
void begin_with(const std::vector<owned_descriptor>& descriptors);

}  // namespace mana::descriptors
