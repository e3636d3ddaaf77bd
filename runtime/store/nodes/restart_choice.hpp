// Which checkpoint is restarted where images are on the nodes too. Of rank 0.
//
// INV-52 what is restarted is the newest that is whole, on the nodes or in the directory of checkpoints; of one number
// only what is the same in both is taken from the nodes.
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

/// Generations in the directory of checkpoints that are complete and did not fail, as far as can be seen.     errors: as list()
std::set<std::uint64_t> complete_in(const std::string& directory);

class restart_choice {
 public:
  struct candidate {
    generation which;                  // on the nodes: without a path
    manifest contents;                 // on the nodes: what sidecars say of it, without files
    std::optional<local_line> local;   // it is on the nodes
    std::string name() const;          // for people
  };

  /// in:     directory  as generation_choice has it
  ///         images     of all nodes; none where they are not looked for
  /// errors: store_error (unreadable, not_own)
  restart_choice(const std::string& directory, std::vector<node_image> images);

  /// The newest that is not refused; where it is in both, that on the nodes. All that are said are of one program, one
  /// MPI and one number of ranks, which need not be that of the restart.
  /// errors: store_error as generation_choice::current(), with what was passed over on the nodes
  const candidate& current();
  /// in: images  of all nodes: there are more by now
  void look_again(std::vector<node_image> images);
  /// The candidate is of no use.
  void refuse(error_kind kind, const std::string& why);

  /// A line for each that was passed over. Empty if the newest is taken.
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
  std::optional<generation_choice> global_;           // nothing: there is no complete checkpoint, or none any more
  std::optional<store_error> global_end_;             // why
  std::optional<candidate> current_;
  std::optional<manifest> wanted_;                    // of the first candidate
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> refused_;   // on the nodes: generation, nonce, why
  std::vector<std::string> incomplete_;               // on the nodes
};

}  // namespace mana::store
