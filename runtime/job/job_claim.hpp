// A job's claim to its directory of checkpoints: see store::directory_claim. Before MPI runs.
#pragma once
#include <runtime/job/start_options.hpp>

#include <chrono>

namespace mana::job {

/// How long a new job waits for the job that has the directory, in ms.
struct claim_patience {
  std::chrono::milliseconds lives{
      5'000};  // the job may be about to end: its launcher was killed, or its checkpoint has ended it
  std::chrono::milliseconds ends{60'000};  // the job was killed: the kernel frees its memory, then drops its lock
  std::chrono::milliseconds not_seen{
      120'000};  // the job's node may be lost: an NFS server keeps that node's locks for this long, or longer
};

/// INV-61, for rank 0. The process keeps the claim until it ends, or until release_claim(). An unusable directory is no
/// error here: the next step that needs the directory reports it.
/// out:    the descriptor that holds the claim, which no child may keep; -1: none
/// errors: start_failure (directory_in_use) that names the job
int claim_directory(const start_options& options, const claim_patience& patience = {});

/// For the other ranks of a run with rank 0 on their node. Waits until rank 0 has the directory, so that a refused job
/// starts no program. If rank 0 does not appear, this rank waits only for a limited time.
void await_claim(const start_options& options);

/// The job does nothing more in its directory. Another job may claim it.
void release_claim() noexcept;

/// True where the launcher's environment says that rank 0 is on this rank's node.
bool is_first_on_node(int rank) noexcept;

}  // namespace mana::job
