// Which checkpoint of a directory is restarted: the newest that is as it was written, and never one that failed before.
#pragma once
#include <runtime/store/store.hpp>

#include <span>

namespace mana::store {

/// A generation that is passed over.
struct refusal {
  generation which;
  error_kind kind = error_kind::damaged;
  std::string why;                   // names files and causes
};

/// What a restart of the one cannot take the other for. Empty: nothing.
std::string difference(const manifest& wanted, const manifest& other);

/// Says one after another, newest first, until one is not refused. What it has read is the manifest; who restarts it looks at
/// the images.
class generation_choice {
 public:
  struct candidate {
    generation which;
    manifest contents;
  };

  /// in:     directory  of checkpoints; or of one generation: then it is that one or none, also if it failed before
  /// errors: store_error (no_checkpoint, unreadable, not_own)
  explicit generation_choice(const std::string& directory);

  /// The newest that is not refused. All that are said are of one program, one MPI and one number of ranks.
  /// errors: store_error: none is left, of the kind of the newest refusal, whose text has all of them; (other_version) of the
  ///         candidate: what a newer mana wrote is not passed over for what is older
  const candidate& current();
  /// From now on only what the one can be taken for is said.
  void want(const manifest& one);
  /// The candidate is of no use.
  void refuse(error_kind kind, const std::string& why);

  std::span<const refusal> refused() const noexcept { return refused_; }
  /// A line for each that was passed over. Empty if the newest is taken.
  std::string explanation() const;
  /// The candidate is taken: those that are damaged, and newer, are not to be looked at again, and do not count among those that
  /// are kept.
  void mark_refused() const noexcept;

 private:
  bool take(const generation& g);
  [[noreturn]] void give_up() const;

  std::string directory_;
  bool only_ = false;                // it was named itself
  std::vector<generation> left_;     // ascending
  std::optional<candidate> current_;
  std::optional<manifest> wanted_;   // of the newest whose manifest was read
  std::vector<refusal> refused_;
};

}  // namespace mana::store
