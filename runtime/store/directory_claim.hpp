// Which job runs in a directory of checkpoints: one at a time.
//
// INV-61 of the jobs that run, one at most has a directory of checkpoints: its rank 0 holds the lock of the directory's
// job from before its program or its memory is there until the process has ended, and only the holder writes down who
// it is.
#pragma once
#include <runtime/store/directory_lock.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mana::store {

/// Rank 0 of the job: DIR/claim.json says it, true as long as the lock is held.
struct claim_holder {
  std::string host;  // name of its node
  int pid = 0;
  std::uint64_t begun =
      0;             // when the process began, in ticks after the boot: another of its number began at another time
  std::string boot;  // of the node, a random name of the kernel's
  std::int64_t since_s = 0;  // Unix time
  std::string launch;        // by which launcher the job was started; empty: not known
  std::string what;          // program, or checkpoint
  bool operator==(const claim_holder&) const = default;
};

/// This process.     in: what, launch  as in claim_holder
claim_holder this_holder(std::string what, std::string launch);

/// Who holds the claim, or was the last one. Nothing: there is none, it cannot be read, or the directory is a copy of
/// another.
std::optional<claim_holder> read_claim(const files::own_directory& directory);

/// Says who holds it, in place of the last one, at once.     errors: image_error (io)
void write_claim(const files::own_directory& directory, const claim_holder& holder);

enum class holder_state {
  lives,
  ends,  // it was killed, and the kernel has not taken all of it away
  gone,
  not_seen,  // it is, or was, on another node
};
holder_state state_of(const claim_holder& holder);

/// The process is the calling one, or one that has started it, directly or not.
bool is_ancestor(const claim_holder& holder);

}  // namespace mana::store
