// Chooses the checkpoint to restart if nodes have images, too. Rank 0 uses it.
//
// INV-52 a restart takes the newest complete checkpoint, on the nodes or in the directory of checkpoints. If both have
// its number, the nodes' images count only if they are the same.
#pragma once
#include <runtime/store/generation_choice.hpp>
#include <runtime/store/nodes/node_image.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mana::store {

/// Generations in the directory of checkpoints that are complete and not known to have failed.     errors: as list()
std::set<std::uint64_t> complete_in(const std::string& directory);

class restart_choice {
 public:
  struct candidate {
    generation which;                  // on the nodes: without a path
    manifest contents;                 // on the nodes: from the sidecars, without files
    std::optional<local_line> local;   // it is on the nodes
    std::string name() const;          // for people
  };

  /// in:     directory  as for generation_choice
  ///         images     of all nodes; none if the restart ignores the nodes
  /// errors: store_error (unreadable, not_own)
  restart_choice(const std::string& directory, std::vector<node_image> images);

  /// The newest checkpoint that is not refused. If it is in both places, the one on the nodes. All candidates are of
  /// the same program, MPI and number of ranks, which may differ from the restart's.
  /// errors: store_error as generation_choice::current(), with the refusals on the nodes
  const candidate& current();
  /// in: images  of all nodes: some have been added
  void look_again(std::vector<node_image> images);
  /// The candidate is of no use.
  void refuse(error_kind kind, const std::string& why);

  /// A line for each refusal. Empty if the newest is taken.
  std::string explanation() const;
  /// As generation_choice::mark_refused().
  void mark_refused() const noexcept;
  /// As complete_in().
  std::set<std::uint64_t> global() const;

 private:
  const generation_choice::candidate* newest_global();
  local_lines lines_from(std::uint64_t at_least) const;
  void refuse_others_of(const generation_choice::candidate& global, const local_lines& lines);
  std::optional<candidate> newest_local(const generation_choice::candidate* global);
  [[noreturn]] void give_up() const;

  std::string directory_;
  std::vector<node_image> images_;
  std::optional<generation_choice> global_;           // nothing: no complete checkpoint exists, or it no longer does
  std::optional<store_error> global_end_;             // why
  std::optional<candidate> current_;
  std::optional<manifest> wanted_;                    // of the first candidate
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> refused_;   // on the nodes: generation, nonce, why
  std::vector<std::string> incomplete_;               // on the nodes
};

}  // namespace mana::store
