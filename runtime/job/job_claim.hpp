// A job's claim to its directory of checkpoints: see store::directory_claim. Before MPI runs.
#pragma once
#include <runtime/job/start_options.hpp>

#include <chrono>

namespace mana::job {

/// How long who comes waits for who is there, ms.
struct claim_patience {
  std::chrono::milliseconds lives{
      5'000};  // it may be about to end: its launcher was killed, or its checkpoint has ended it
  std::chrono::milliseconds ends{60'000};  // it was killed: the kernel takes away its memory, and then its lock
  std::chrono::milliseconds not_seen{
      120'000};  // its node may be gone: a server of NFS keeps its locks for so long, and longer
};

/// INV-61, of rank 0. The claim is the process's until it ends, or release_claim(). A directory that cannot be used is
/// left to whoever needs it next. out:    the descriptor that holds it, which no child is to keep; -1: there is none
/// errors: start_failure (directory_in_use) that names the job
int claim_directory(const start_options& options, const claim_patience& patience = {});

/// Of another rank of a run whose rank 0 is on its node: waits until that one has the directory, so that no program of
/// a job that is refused begins. Where rank 0 is not heard of, it waits for a while only.
void await_claim(const start_options& options);

/// The job does nothing more in its directory. Another one may come.
void release_claim() noexcept;

/// True where the launcher's environment says that rank 0 is on this rank's node.
bool is_first_on_node(int rank) noexcept;

}  // namespace mana::job
