#include <runtime/tools/launch/restart_source.hpp>

#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/store_failure.hpp>

#include <runtime/store/generation_choice.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store_id.hpp>
#include <runtime/store/store_paths.hpp>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace mana::tools {
namespace {

/// out: the newest checkpoint with a readable manifest
restart_source as_source(const store::generation_choice::candidate& newest, const std::filesystem::path& named) {
  const auto path = store::tidy(newest.which.path);
  return {mpi_of_checkpoint(newest.contents.mpi), path.string(), path.parent_path(),
          path == named ? path : std::filesystem::path()};
}

/// This node's directory of images, for a directory of checkpoints that was used with --local.
struct node_place {
  std::string node, directory;
};

std::optional<node_place> place_on_node(const run_options& options, const std::filesystem::path& named) {
  if (options.local.empty()) return std::nullopt;
  const auto id = store::read_store_id(named.string());
  if (!id) return std::nullopt;
  const std::string node = store::node_name();
  return node_place{node, store::local_directory(options.local, node) + "/" + *id};
}

std::optional<store::local_image> newest_in(const node_place& place) {
  const auto sound = store::find_local(place.directory).sound;
  if (sound.empty()) return std::nullopt;
  return sound.back();
}

restart_source as_source(const store::local_image& image, const node_place& place, const std::filesystem::path& named) {
  const std::string where = store::local_image_path(place.directory, image.generation, image.rank);
  return {mpi_of_checkpoint(image.mpi), where, named, {}};
}

/// True if other ranks may see files that this rank does not.
bool may_be_of_this_rank(const store::store_error& why, const launcher& started_by) {
  return has_others(started_by) && (why.kind() == store::error_kind::unreadable || why.kind() == store::error_kind::no_checkpoint);
}

/// Called if no checkpoint has a readable manifest.
restart_source without_checkpoint(const store::store_error& why, const std::optional<node_place>& place,
                                  const launcher& started_by, const std::filesystem::path& named) {
  if (may_be_of_this_rank(why, started_by) && !place) return {*started_by.mpi, named.string(), named, {}, false};
  if (!place || why.kind() == store::error_kind::other_version) fail_with(why);
  if (const auto newest = newest_in(*place)) return as_source(*newest, *place, named);
  if (started_by.mpi) return {*started_by.mpi, named.string(), named, {}};
  throw failure(code_of(why.kind()), fmt::format("{}\n      and node {} has no image in {}", why.what(), place->node,
                                                 place->directory));
}

}  // namespace

restart_source find_restart_source(const run_options& options, const launcher& started_by) {
  const auto named = store::tidy(options.checkpoint_directory);
  try {
    std::optional<store::generation_choice::candidate> global;
    try {
      global = store::generation_choice(named.string()).current();
    } catch (const store::store_error& why) {
      return without_checkpoint(why, place_on_node(options, named), started_by, named);
    }
    restart_source found = as_source(*global, named);
    const auto place = found.generation.empty() ? place_on_node(options, named) : std::nullopt;
    const auto newest = place ? newest_in(*place) : std::nullopt;
    return newest && newest->generation > global->which.number ? as_source(*newest, *place, named) : found;
  } catch (const store::store_error& error) {
    fail_with(error);
  }
}

}  // namespace mana::tools
