// Parity over the images on the nodes, computed while the program is stopped. docs/design/redundancy.md gives the
// reasons.
#pragma once
#include <runtime/job/lent_thread.hpp>

#include <runtime/control/surroundings.hpp>
#include <runtime/store/nodes/local_sidecar.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mana::job {

/// Divides the ranks into groups, by their nodes. If there are too few ranks, all of them end. Does nothing without
/// --redundancy. Collective; MPI runs.
void begin_node_parity();

/// This rank's part in the parity of one checkpoint. Either all ranks take part or none; a rank without an image on its
/// node takes part too. If one image is missing there is no parity: a warning says so, and the images stay.
class parity_turn {
 public:
  /// in: on_nodes  the program stays stopped until all images are on the nodes; the same on all ranks
  ///     initial   of the thread that may call MPI
  parity_turn(bool on_nodes, lent_thread& initial);

  /// Called when the image is durable in the directory of this node, still without a sidecar.
  /// in:  checksum  in the image's trailer
  ///      warnings  gets the reason if there is no parity, on one of the ranks concerned
  /// out: for the sidecar: the ranks whose parity is durable; empty if there is no parity
  store::parity_group make(const std::string& directory, const control::commit_info& generation, std::uint64_t checksum,
                           std::vector<std::string>& warnings);
  /// This rank has no image there, or takes no further part. Never throws.
  void pass() noexcept;

 private:
  bool begin() noexcept { return std::exchange(pending_, false); }

  bool pending_;
  lent_thread& initial_;
};

}  // namespace mana::job
