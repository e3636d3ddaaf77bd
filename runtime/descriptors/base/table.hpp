// Which descriptors are the upper half's, and which of them share an open file.
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
  int standard;           // 0, 1, 2: it is the launcher's stdin, stdout or stderr, or a duplicate of it; else -1
  bool inherited;         // from whoever started the program
  std::uint64_t peer = 0; // `file` of the other end of a socket pair; 0: it is none
};

/// Gives back the low numbers that guards took. What is open then below first_lower_descriptor() is the upper half's,
/// and what of it is the launcher's `launchers` knows; from now on the traps tell what the upper half opens and closes.
/// in: counted  where this process was another program: what counts its reads of the launcher's standard input
void begin(const standard_files& launchers = standard_files::here(), split::earlier_count counted = {});

/// A child that had the table of descriptors in common with this process may have opened, exchanged and closed some: they are the
/// upper half's, as all low numbers are. No-op if there was none.
void look_at_shared();

/// What the upper half holds now, ascending.
std::vector<owned_descriptor> held();

/// Name of what a descriptor of inotify watches as `watch`, absolute; empty if nobody told.
std::string watched_path(std::uint64_t file, int watch);
/// As the traps tell it.
void note_watch(std::uint64_t file, int watch, const std::string& path);

/// After a restart: exactly these are the upper half's.
void begin_with(const std::vector<owned_descriptor>& descriptors);

}  // namespace mana::descriptors
