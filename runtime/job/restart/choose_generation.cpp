#include <runtime/job/restart/choose_generation.hpp>

#include <runtime/job/agreement.hpp>
#include <runtime/job/job.hpp>
#include <runtime/job/memory/restored_image.hpp>
#include <runtime/job/restart/candidate_check.hpp>
#include <runtime/job/restart/found_images.hpp>
#include <runtime/job/restart/image_transfer.hpp>
#include <runtime/job/restart/rebuilt_images.hpp>
#include <runtime/job/store_status.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/store/nodes/restart_choice.hpp>

#include <exception>
#include <iterator>
#include <set>
#include <sstream>

namespace mana::job {

namespace {

constexpr std::chrono::seconds patience{5};      // with a process that removes checkpoints, which takes an instant

/// out: nothing if another checkpoint would not help
std::optional<store::error_kind> passed_over_for(exit_status status) {
  switch (status) {
    case exit_status::checkpoint_missing: return store::error_kind::missing_file;
    case exit_status::checkpoint_damaged: return store::error_kind::damaged;
    case exit_status::checkpoint_not_own: return store::error_kind::not_own;
    case exit_status::checkpoint_unreadable: return store::error_kind::unreadable;
    default: return std::nullopt;
  }
}

void check_rank_count(const store::restart_choice::candidate& of, std::uint32_t live_size) {
  if (of.contents.ranks == live_size) return;
  throw start_failure(exit_status::rank_count_differs,
                      of.name() + ": the checkpoint has " + std::to_string(of.contents.ranks) +
                          " ranks, this restart " + std::to_string(live_size),
                      "restart with: mpirun -n " + std::to_string(of.contents.ranks) + " mana restart …", met_by::all);
}

/// Rank 0's candidate, known to all ranks: a checkpoint in the directory of checkpoints, or a line of images on the
/// nodes.
struct said_candidate {
  std::string path, sum;
  std::string attempt;               // generation and nonce; empty: the candidate is in the directory of checkpoints
  std::string global;                // numbers of all complete generations in the directory
};

std::string text_of(const std::set<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) text += std::to_string(number) + " ";
  return text;
}

said_candidate as_said(const store::restart_choice& choice, const store::restart_choice::candidate& candidate) {
  said_candidate said;
  said.global = text_of(choice.global());
  if (candidate.local) {
    said.attempt = std::to_string(candidate.local->generation) + " " + std::to_string(candidate.local->nonce);
  } else {
    said.path = candidate.which.path;
    said.sum = sum_of(candidate.contents);
  }
  return said;
}

store::local_line line_of(const said_candidate& said, const images_on_nodes& found, std::uint32_t ranks) {
  std::istringstream in(said.attempt);
  std::uint64_t generation = 0, nonce = 0;
  in >> generation >> nonce;
  std::vector<store::held_image> images = held(found.images);
  std::erase_if(images, [=](const store::held_image& i) { return i.generation != generation || i.nonce != nonce; });
  return store::complete_lines(images, ranks, generation).complete.at(0);
}

std::set<std::uint64_t> numbers_in(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::uint64_t>(in), {}};
}

/// The choice. Rank 0 knows the candidates; the other ranks know only what rank 0 says.
class chooser {
 public:
  chooser(std::uint32_t rank, std::uint32_t size)
      : rank_(rank), size_(size), directory_(this_job().options.generation) {}

  restart_hold choose() {
    restart_hold hold;
    if (rank_ == 0) hold = hold_directory();
    found_ = find_images_on_nodes(rank_);
    global_ = numbers_in(from_first(complete_in_directory()));
    if (!found_.images.empty()) rebuild_lost_images(found_, rank_, global_);
    for (;;) {
      together([&] { say_candidate(); });
      for (std::string* text : {&said_.path, &said_.sum, &said_.attempt, &said_.global}) *text = from_first(*text);
      const auto failed = said_.attempt.empty() ? try_global() : try_on_nodes();
      if (!failed) break;
      pass_over(*failed);
      if (said_.attempt.empty()) look_at_nodes_again();
    }
    if (rank_ == 0) tell();
    this_job().options.generation = image_of_restart().path_of_generation();
    return hold;
  }

 private:
  /// The path may be that of a generation.
  static restart_hold hold_directory() {
    try {
      const auto all = files::own_directory::open(this_job().options.checkpoint_directory);
      return restart_hold::of_all(all, store::lock_kind::shared, patience);
    } catch (const std::exception&) {
      return {};
    }
  }

  /// Called on rank 0. An unreadable directory is no error yet: say_candidate() reports it.
  std::string complete_in_directory() const {
    try {
      return rank_ == 0 ? text_of(store::complete_in(directory_)) : std::string();
    } catch (const store::store_error&) {
      return {};
    }
  }

  void say_candidate() {
    if (rank_ != 0) return;
    try {
      if (!choice_) choice_.emplace(directory_, found_.images);
      const auto& candidate = choice_->current();
      check_rank_count(candidate, size_);
      said_ = as_said(*choice_, candidate);
    } catch (const store::store_error& error) {
      const bool is_own = error.kind() == store::error_kind::unreadable;       // on rank 0's node
      throw start_failure(status_of(error.kind()), error.what(), {}, is_own ? met_by::one : met_by::all);
    }
  }

  std::optional<shared_failure> try_global() {
    restored_image& own = image_of_restart();
    own = {};
    own.rank = rank_;
    own.generation = image::generation_number(files::name_of(said_.path)).value_or(0);
    own.directory = files::directory_of(said_.path);
    return try_together([&] { check_global_file(said_.path, said_.sum, rank_); });
  }

  std::optional<shared_failure> try_on_nodes() {
    const store::local_line line = line_of(said_, found_, size_);
    const std::set<std::uint64_t> global = numbers_in(said_.global);
    const auto moves = store::moves_for(line, found_.images, found_.nodes, global);
    if (const auto failed = try_together([&] { move_images(moves, rank_, found_.directory); })) return failed;
    if (rank_ == 0 && !moves.empty() && this_job().options.verbose)
      say("mana: images that went to other nodes: " + std::to_string(moves.size()));
    const store::local_image& about = *one_of(found_.images, line, rank_);
    restored_image& own = image_of_restart();
    own = {line.generation, rank_, found_.directory, true, global.contains(line.generation), {directory_}};
    return try_together([&] {
      check_file_on_node(own, about);
      own.is_global = own.is_global && is_global(directory_, about);
    });
  }

  void pass_over(const shared_failure& failed) {
    const auto kind = passed_over_for(failed.status);
    if (!kind) together([&] { if (rank_ == 0) throw start_failure(failed.status, failed.text, {}, met_by::all); });
    if (rank_ != 0) return;
    const std::string text = "rank " + std::to_string(failed.rank) + ": " + failed.text;
    if (said_.attempt.empty() && failed.rank != 0 && is_sound_here(failed.rank))
      choice_->refuse(store::error_kind::unreadable, text + "; rank 0 sees it intact: put the checkpoint directory on "
                                                            "a file system that all nodes share");
    else choice_->refuse(*kind, text);
  }

  /// True if rank 0 sees no damage. A fault that only another node sees is no damage to the checkpoint, and must not be
  /// marked as such.
  bool is_sound_here(int rank) const {
    try {
      check_global_file(said_.path, said_.sum, static_cast<std::uint32_t>(rank));
      return true;
    } catch (const start_failure&) {
      return false;
    }
  }

  /// A generation that is damaged in the directory of checkpoints may still be rebuilt from the nodes' files.
  void look_at_nodes_again() {
    if (found_.images.empty()) return;
    global_.erase(image_of_restart().generation);
    rebuild_lost_images(found_, rank_, global_);
    if (rank_ == 0) choice_->look_again(found_.images);
  }

  void tell() {
    const std::string passed_over = choice_->explanation(), name = choice_->current().name();
    if (!passed_over.empty()) {
      say("mana: warning: " + passed_over + "mana: restarting " + name + " instead");
      choice_->mark_refused();
    } else if (this_job().options.verbose) {
      say("mana: restarting " + name);
    }
  }

  const std::uint32_t rank_, size_;
  const std::string directory_;
  images_on_nodes found_;
  // complete in the directory of checkpoints, as far as is known; equal on all ranks
  std::set<std::uint64_t> global_;
  std::optional<store::restart_choice> choice_;
  said_candidate said_;
};

}  // namespace

restart_hold choose_generation(std::uint32_t rank, std::uint32_t size) { return chooser(rank, size).choose(); }

}  // namespace mana::job
