#include "choose_generation.hpp"

#include "agreement.hpp"
#include "job.hpp"

#include <generation_choice.hpp>
#include <manifest.hpp>
#include <rank_image.hpp>

#include <mana/image/format_table.hpp>

#include <algorithm>
#include <exception>

namespace mana::run {

namespace {

constexpr std::chrono::seconds patience{5};      // with who removes checkpoints, which is done in an instant

exit_status status_of(store::error_kind kind) {
  switch (kind) {
    case store::error_kind::no_checkpoint:
    case store::error_kind::missing_file: return exit_status::checkpoint_missing;
    case store::error_kind::damaged: return exit_status::checkpoint_damaged;
    case store::error_kind::not_own: return exit_status::checkpoint_not_own;
    case store::error_kind::other_version: return exit_status::surroundings_differ;
    case store::error_kind::unwritable:
    case store::error_kind::unreadable: return exit_status::checkpoint_unreadable;
  }
  return exit_status::internal;
}

/// out: nothing if no other checkpoint would help
std::optional<store::error_kind> passed_over_for(exit_status status) {
  switch (status) {
    case exit_status::checkpoint_missing: return store::error_kind::missing_file;
    case exit_status::checkpoint_damaged: return store::error_kind::damaged;
    case exit_status::checkpoint_not_own: return store::error_kind::not_own;
    case exit_status::checkpoint_unreadable: return store::error_kind::unreadable;
    default: return std::nullopt;
  }
}

void check_rank_count(const store::generation_choice::candidate& of, std::uint32_t live_size) {
  if (of.contents.ranks == live_size) return;
  throw start_failure(exit_status::rank_count_differs,
                      of.which.path + ": the checkpoint has " + std::to_string(of.contents.ranks) +
                          " ranks, this restart " + std::to_string(live_size),
                      "restart with: mpirun -n " + std::to_string(of.contents.ranks) + " mana restart …", met_by::all);
}

/// Tells a manifest from every other: its checksum is in its last line.
std::string sum_of(const store::manifest& m) {
  const std::string text = to_json(m);
  return text.substr(text.size() - std::min<std::size_t>(text.size(), 32));
}

/// The image is this rank's, and of the checkpoint that rank 0 sees.
void check_own_file(const std::string& path, const std::string& sum_at_first, std::uint32_t rank) {
  try {
    const store::manifest manifest = store::read_manifest(path);
    if (sum_of(manifest) != sum_at_first)
      throw start_failure(exit_status::checkpoint_unreadable, path + ": here is another manifest than rank 0 sees; the "
                          "checkpoint directory must be on a file system that all nodes share");
    store::check_file({path, 0}, manifest, manifest.files.at(rank), store::depth::identity);
  } catch (const store::store_error& error) {
    throw start_failure(status_of(error.kind()), error.what());
  }
}

/// What rank 0 knows of the choice; the others' is empty.
class chooser {
 public:
  chooser(std::uint32_t rank, std::uint32_t size) : rank_(rank), size_(size) {}

  restart_hold choose() {
    restart_hold hold;
    if (rank_ == 0) hold = hold_directory();
    for (;;) {
      together([&] { say_candidate(); });
      path_ = from_first(path_);
      sum_ = from_first(sum_);
      const auto failed = try_together([&] { check_own_file(path_, sum_, rank_); });
      if (!failed) break;
      pass_over(*failed);
    }
    if (rank_ == 0) tell();
    this_job().options.generation = path_;
    return hold;
  }

 private:
  /// The path may be that of a generation.
  static restart_hold hold_directory() {
    try {
      const auto all = image::own_directory::open(this_job().options.checkpoint_directory);
      return restart_hold::of_all(all, store::lock_kind::shared, patience);
    } catch (const std::exception&) {
      return {};
    }
  }

  void say_candidate() {
    if (rank_ != 0) return;
    try {
      if (!choice_) choice_.emplace(this_job().options.generation);
      const auto& candidate = choice_->current();
      check_rank_count(candidate, size_);
      path_ = candidate.which.path;
      sum_ = sum_of(candidate.contents);
    } catch (const store::store_error& error) {
      throw start_failure(status_of(error.kind()), error.what(), {}, met_by::all);
    }
  }

  void pass_over(const shared_failure& failed) {
    const auto kind = passed_over_for(failed.status);
    if (!kind) together([&] { if (rank_ == 0) throw start_failure(failed.status, failed.text, {}, met_by::all); });
    if (rank_ == 0) choice_->refuse(*kind, "rank " + std::to_string(failed.rank) + ": " + failed.text);
  }

  void tell() {
    const std::string passed_over = choice_->explanation();
    if (!passed_over.empty()) {
      say("mana: warning: " + passed_over + "mana: restarting " + path_ + " instead");
      choice_->mark_refused();
    } else if (this_job().options.verbose) {
      say("mana: restarting " + path_);
    }
  }

  const std::uint32_t rank_, size_;
  std::optional<store::generation_choice> choice_;
  std::string path_, sum_;          // of the candidate
};

}  // namespace

restart_hold choose_generation(std::uint32_t rank, std::uint32_t size) { return chooser(rank, size).choose(); }

int recorded_thread_level() noexcept {
  try {
    const auto rank = static_cast<std::uint32_t>(rank_from_environment());
    const auto all = store::list(this_job().options.generation);
    for (auto g = all.rbegin(); g != all.rend(); ++g) try {
        if (!store::is_complete(*g)) continue;
        const image::rank_image own(g->path + "/" + store::rank_file_name(rank));
        return decode_run_record(own.section(image::sections::run)).thread_level;
      } catch (const std::exception&) {
      }
  } catch (const std::exception&) {
  }
  return 0;
}

}  // namespace mana::run
