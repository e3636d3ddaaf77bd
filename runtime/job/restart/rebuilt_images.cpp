#include <runtime/job/restart/rebuilt_images.hpp>

#include <runtime/job/agreement.hpp>
#include <runtime/job/nodes/group_files.hpp>
#include <runtime/job/restart/image_transfer.hpp>
#include <runtime/job/restart/restart_progress.hpp>
#include <runtime/job/start_failure.hpp>

#include <mana/core/fault_points.hpp>

#include <runtime/store/nodes/parity_choice.hpp>

#include <algorithm>

namespace mana::job {

namespace {

bool is_of(const store::local_attempt& attempt, const store::local_image& about) {
  return about.generation == attempt.generation && about.nonce == attempt.nonce;
}

std::string name_of(const store::local_attempt& attempt) {
  return "local generation " + std::to_string(attempt.generation);
}

bool has(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

class rebuilding {
 public:
  rebuilding(images_on_nodes& found, std::uint32_t rank, const std::set<std::uint64_t>& global)
      : found_(found), rank_(rank), global_(global) {}

  void run() {
    const std::uint64_t newest_global = global_.empty() ? 0 : *global_.rbegin();
    bool settled = false;
    for (const store::local_attempt& attempt :
         store::local_attempts(found_.images, static_cast<std::uint32_t>(found_.nodes.size()))) {
      const bool is_base = bases_.contains(attempt.generation);
      if (!is_base && (settled || attempt.generation <= newest_global)) continue;
      const std::pair which(attempt.generation, attempt.nonce);
      const bool whole = attempt.is_complete || (!found_.given_up.contains(which) && complete(attempt));
      if (!whole) found_.given_up.insert(which);
      if (whole) note_bases(attempt);
      settled = is_base ? settled && whole : settled || whole;
    }
  }

 private:
  void warn(const std::string& text) const {
    if (rank_ == 0) say("mana: warning: " + text);
  }

  /// Notes the older generations on which an attempt builds.
  void note_bases(const store::local_attempt& attempt) {
    for (const store::node_image& i : found_.images)
      if (is_of(attempt, i.about))
        for (const std::uint64_t base : i.about.builds_on)
          if (!global_.contains(base)) bases_.insert(base);
  }

  /// Rebuilds the lost images of an attempt.  out: true if the attempt is complete now
  bool complete(const store::local_attempt& attempt) {
    if (!attempt.obstacle.empty()) warn(name_of(attempt) + " cannot be rebuilt: " + attempt.obstacle);
    if (attempt.broken.empty()) return false;
    const std::vector<store::image_move> moves = moves_in(attempt);
    auto failed = try_together([&] { move_images(moves, rank_, found_.directory); });
    if (!failed) {
      for (const store::image_move& m : moves) found_.images.push_back({found_.nodes[m.receiver], m.about});
      failed = rebuild(attempt, moves);
    }
    if (failed)
      warn(name_of(attempt) + " could not be rebuilt: rank " + std::to_string(failed->rank) + ": " + failed->text);
    return !failed;
  }

  /// out: the image on the rank's own node; else on the first node by name that has it; nullptr if no node has it
  const store::node_image* holder_of(const store::local_attempt& attempt, std::uint32_t rank) const {
    const store::node_image* holder = nullptr;
    for (const store::node_image& i : found_.images) {
      if (!is_of(attempt, i.about) || i.about.rank != rank) continue;
      if (i.node == found_.nodes[rank]) return &i;
      if (holder == nullptr || i.node < holder->node) holder = &i;
    }
    return holder;
  }

  /// out: the moves of images whose ranks are now on other nodes
  std::vector<store::image_move> moves_in(const store::local_attempt& attempt) const {
    std::vector<store::image_move> moves;
    for (const store::broken_group& broken : attempt.broken)
      for (const std::uint32_t member : broken.group.ranks) {
        const store::node_image* const holder = holder_of(attempt, member);
        if (holder != nullptr && holder->node != found_.nodes[member])
          moves.push_back({holder->about, store::first_rank_on(found_.nodes, holder->node), member});
      }
    return moves;
  }

  const store::broken_group* own_group(const store::local_attempt& attempt) const {
    for (const store::broken_group& broken : attempt.broken)
      if (has(broken.group.ranks, rank_)) return &broken;
    return nullptr;
  }

  /// out: the facts that all images of an attempt share
  store::local_image one_of(const store::local_attempt& attempt) const {
    return *store::one_of(found_.images, {attempt.generation, attempt.nonce, {}});
  }

  /// Refuses to overwrite a rank's image of another attempt with the same number.
  void check_place(const store::local_attempt& attempt) const {
    if (found_.directory.empty())
      throw start_failure(exit_status::checkpoint_unreadable, "its node has no directory for images");
    for (const store::node_image& i : found_.images)
      if (i.node == found_.nodes[rank_] && i.about.rank == rank_ && i.about.generation == attempt.generation &&
          i.about.nonce != attempt.nonce)
        throw start_failure(exit_status::checkpoint_unreadable,
                            "its node has an image of another checkpoint with the number " +
                                std::to_string(attempt.generation));
  }

  /// out: about how many bytes each member reads from the images of its group and sends for the lost ones
  static std::uint64_t bytes_of(const store::broken_group& broken, const store::local_image& any) {
    const std::uint64_t members = broken.group.ranks.size(), data = members - broken.group.parity;
    return any.bytes * members / data + any.bytes * broken.lost.size();
  }

  std::optional<shared_failure> rebuild(const store::local_attempt& attempt,
                                        const std::vector<store::image_move>& moves) {
    const store::broken_group* const own = own_group(attempt);
    std::optional<group_files> files;
    std::string sidecar, report;
    auto failed = try_together([&] {
      if (own == nullptr) return;
      check_place(attempt);
      files.emplace(found_.directory, one_of(attempt), rank_);
    });
    if (failed) return failed;
    for (const store::image_move& m : moves) move_parity(m, rank_, found_.directory, files);
    failed = try_together([&] {
      restart_progress progress("lost images are rebuilt", own == nullptr ? 0 : bytes_of(*own, one_of(attempt)));
      if (own != nullptr) files->rebuild(own->group, [&progress](std::uint64_t bytes) { progress.add(bytes); });
    });
    if (failed) return failed;
    failed = try_together([&] {
      if (own == nullptr) return;
      fault_point(fault::point::rebuilding);
      if (has(own->lost, rank_)) sidecar = to_json(files->finish_lost(own->group));
      else files->finish();
      report = files->report();
    });
    if (failed) return failed;
    tell(attempt, from_all(sidecar), from_all(report));
    return std::nullopt;
  }

  void tell(const store::local_attempt& attempt, const std::vector<std::string>& sidecars,
            const std::vector<std::string>& reports) {
    for (std::size_t of = 0; of < sidecars.size(); ++of) {
      if (!sidecars[of].empty()) found_.images.push_back({found_.nodes[of], store::sidecar_from_json(sidecars[of])});
      if (rank_ == 0 && !reports[of].empty())
        say("mana: " + name_of(attempt) + ": rank " + std::to_string(of) + " on node " + found_.nodes[of] +
            ", rebuilt from parity: " + reports[of]);
    }
  }

  images_on_nodes& found_;
  const std::uint32_t rank_;
  const std::set<std::uint64_t>& global_;
  // generations on which complete generations build, and which the directory of checkpoints lacks
  std::set<std::uint64_t> bases_;
};

}  // namespace

void rebuild_lost_images(images_on_nodes& found, std::uint32_t rank, const std::set<std::uint64_t>& global) {
  if (!found.nodes.empty()) rebuilding(found, rank, global).run();
}

}  // namespace mana::job
