#include <runtime/job/restart/recorded_level.hpp>

#include <runtime/job/job.hpp>
#include <runtime/job/restart/found_images.hpp>
#include <runtime/job/sections/sections.hpp>
#include <runtime/job/start_failure.hpp>

#include <runtime/image/read/rank_image.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store.hpp>
#include <runtime/store/store_id.hpp>

#include <algorithm>
#include <exception>
#include <tuple>
#include <vector>

namespace mana::job {

namespace {

struct image_file {
  std::uint64_t generation = 0;
  std::string path;
};

std::vector<image_file> in_directory(std::uint32_t rank) {
  std::vector<image_file> found;
  for (const store::generation& g : store::list(this_job().options.generation))
    if (store::is_complete(g)) found.push_back({g.number, g.path + "/" + store::rank_file_name(rank)});
  return found;
}

/// out: the rank's newest images; those of any rank if these are newer, because a rank may be on another node than
///      before
std::vector<image_file> on_node(std::uint32_t rank) {
  const start_options& options = this_job().options;
  if (options.local.empty() || is_named_itself(options.generation)) return {};
  const auto id = store::read_store_id(options.generation);
  if (!id) return {};
  const std::string directory = store::local_directory(options.local, store::node_name()) + "/" + *id;
  const auto sound = store::find_local(directory).sound;
  const auto newest = std::max_element(sound.begin(), sound.end(), [rank](const auto& a, const auto& b) {
    return std::tuple(a.generation, a.rank == rank) < std::tuple(b.generation, b.rank == rank);
  });
  if (newest == sound.end()) return {};
  return {{newest->generation, store::local_image_path(directory, newest->generation, newest->rank)}};
}

}  // namespace

std::optional<int> recorded_thread_level() noexcept {
  try {
    const auto rank = static_cast<std::uint32_t>(rank_from_environment());
    std::vector<image_file> all = in_directory(rank);
    for (image_file& local : on_node(rank)) all.push_back(std::move(local));
    std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.generation > b.generation; });
    for (const image_file& file : all) try {
        const image::rank_image own(file.path);
        return run_record_of(own).thread_level;
      } catch (const std::exception&) {
      }
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

}  // namespace mana::job
