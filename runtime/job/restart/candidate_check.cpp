#include <runtime/job/restart/candidate_check.hpp>

#include <runtime/job/store_status.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/store/manifest.hpp>
#include <runtime/store/store_paths.hpp>

#include <algorithm>
#include <exception>

namespace mana::job {

/// The last line of a manifest has its checksum.
std::string sum_of(const store::manifest& m) {
  const std::string text = to_json(m);
  return text.substr(text.size() - std::min<std::size_t>(text.size(), 32));
}

void check_global_file(const std::string& path, const std::string& sum_at_first, std::uint32_t rank) {
  try {
    const store::manifest manifest = store::read_manifest(path);
    if (sum_of(manifest) != sum_at_first)
      throw start_failure(exit_status::checkpoint_unreadable, path + ": this manifest differs from the one that rank "
                                                                     "0 sees; put the checkpoint directory on a file "
                                                                     "system that all nodes share");
    store::check_file({path, 0}, manifest, manifest.files.at(rank), store::depth::identity);
  } catch (const store::store_error& error) {
    throw start_failure(status_of(error.kind()), error.what());
  }
}

void check_file_on_node(const restored_image& own, const store::local_image& about) {
  try {
    store::in_store(store::error_kind::unreadable, [&] {
      const image::rank_image image(own.path(), own.roots);
      const image::file_header& header = image.header();
      if (image.checksum() != about.checksum || header.rank != about.rank || header.world_size != about.ranks)
        throw store::store_error(store::error_kind::damaged, own.path() + ": this image belongs to another checkpoint");
      image.check_sources();
    });
  } catch (const store::store_error& error) {
    throw start_failure(status_of(error.kind()), error.what());
  }
}

bool is_global(const std::string& directory, const store::local_image& about) noexcept {
  try {
    const auto path = store::tidy(directory) / image::generation_name(about.generation);
    const store::manifest m = store::read_manifest(path.string());
    return m.files.at(about.rank).checksum == about.checksum;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace mana::job
