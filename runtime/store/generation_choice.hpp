// Chooses the checkpoint of a directory to restart: the newest intact one, and never one that failed before.
#pragma once
#include <runtime/store/store.hpp>

#include <span>

namespace mana::store {

/// A generation that was passed over.
struct refusal {
  generation which;
  error_kind kind = error_kind::damaged;
  std::string why;                   // names files and causes
};

/// Why a restart of `wanted` cannot use `other` instead. Empty: it can.
std::string difference(const manifest& wanted, const manifest& other);

/// Offers one generation after another, newest first, until one is not refused. Reads the manifest only; the restart
/// reads the images.
class generation_choice {
 public:
  struct candidate {
    generation which;
    manifest contents;
  };

  /// in:     directory  of checkpoints; or of one generation, which is then the only candidate, even if it failed
  ///         before
  /// errors: store_error (no_checkpoint, unreadable, not_own)
  explicit generation_choice(const std::string& directory);

  /// The newest generation that is not refused. All candidates are of the same program, MPI and number of ranks.
  /// errors: store_error: none is left. Its kind is that of the newest refusal; its text has all refusals;
  ///         (other_version) of the candidate: an older generation does not replace one that a newer mana wrote
  const candidate& current();
  /// Later candidates must be usable in place of this one.
  void want(const manifest& one);
  /// The candidate is of no use.
  void refuse(error_kind kind, const std::string& why);

  std::span<const refusal> refused() const noexcept { return refused_; }
  /// A line for each refusal. Empty if the newest is taken.
  std::string explanation() const;
  /// Call it when the candidate is taken. Marks the newer generations that are damaged: they are not read again, and do
  /// not count among the generations to keep.
  void mark_refused() const noexcept;

 private:
  bool take(const generation& g);
  [[noreturn]] void give_up() const;

  std::string directory_;
  bool only_ = false;                // the user named the generation
  std::vector<generation> left_;     // ascending
  std::optional<candidate> current_;
  std::optional<manifest> wanted_;   // of the newest whose manifest was read
  std::vector<refusal> refused_;
};

}  // namespace mana::store
