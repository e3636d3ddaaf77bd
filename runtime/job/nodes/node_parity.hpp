// Parity over the images on the nodes, made while the program stands. Why it is done this way:
// docs/design/redundancy.md.
#pragma once
#include <runtime/job/lent_thread.hpp>

#include <runtime/control/surroundings.hpp>
#include <runtime/store/nodes/local_sidecar.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mana::job {

/// Deals the ranks out to groups, by their nodes. Collective; MPI runs. Nothing without --redundancy; where there are
/// too few ranks for it, all of them end.
void begin_node_parity();

/// This rank's part in the parity of one checkpoint. All ranks take part or none, also those that have no image on
/// their node: then there is no parity, which is a warning, and the images stay as they are.
class parity_turn {
 public:
  /// in: on_nodes  the program stands until all images are on the nodes; the same on all ranks
  ///     initial   of the thread that MPI may be called on
  parity_turn(bool on_nodes, lent_thread& initial);

  /// The image is durable in the directory of this node, without a sidecar.
  /// in:  checksum   of its trailer
  ///      warnings   why there is no parity is added, on one of the ranks that it concerns
  /// out: for the sidecar: the ranks whose parity is durable, or nobody
  store::parity_group make(const std::string& directory, const control::commit_info& generation, std::uint64_t checksum,
                           std::vector<std::string>& warnings);
  /// This rank has no image there, or no part any more. Never throws.
  void pass() noexcept;

 private:
  bool begin() noexcept { return std::exchange(pending_, false); }

  bool pending_;
  lent_thread& initial_;
};

}  // namespace mana::job
