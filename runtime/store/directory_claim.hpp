// The claim of a job to a directory of checkpoints: one job at a time runs there.
//
// INV-61 of the jobs that run, one at most has a directory of checkpoints: its rank 0 holds the lock of the directory's
// job. Rank 0 takes the lock before its program or its memory exists, and holds it until the process has ended. Only
// the holder writes the claim.
#pragma once
#include <runtime/store/directory_lock.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mana::store {

/// Rank 0 of the job, as DIR/claim.json names it. The file is true while the lock is held.
struct claim_holder {
  std::string host;  // name of its node
  int pid = 0;
  std::uint64_t begun =
      0;             // start of the process, in ticks after the boot: a later process with the same pid has another
  std::string boot;  // boot id of the node, a random name from the kernel
  std::int64_t since_s = 0;  // Unix time
  std::string launch;        // the launcher that started the job; empty: unknown
  std::string what;          // program, or checkpoint
  bool operator==(const claim_holder&) const = default;
};

/// This process.     in: what, launch  as in claim_holder
claim_holder this_holder(std::string what, std::string launch);

/// The present or the last holder of the claim. Nothing: no claim exists, it cannot be read, or the directory is a copy
/// of another.
std::optional<claim_holder> read_claim(const files::own_directory& directory);

/// Replaces the last claim, atomically.     errors: image_error (io)
void write_claim(const files::own_directory& directory, const claim_holder& holder);

enum class holder_state {
  lives,
  ends,  // it was killed, and the kernel has not removed all of it yet
  gone,
  not_seen,  // it runs, or ran, on another node
};
holder_state state_of(const claim_holder& holder);

/// Whether the process is the calling one, or has started it, directly or not.
bool is_ancestor(const claim_holder& holder);

}  // namespace mana::store
