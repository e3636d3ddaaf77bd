// Whether what a manifest names is there, and is what it says.
#include "manifest.hpp"
#include "generation_name.hpp"
#include "program_files.hpp"
#include "rank_image.hpp"
#include "store_paths.hpp"

namespace mana::store {

namespace {

[[noreturn]] void wrong_image(error_kind kind, const std::string& path, const std::string& what) {
  throw store_error(kind, path + ": " + what + "; restart an earlier checkpoint (mana list shows them)");
}

std::string rank_of(std::uint32_t rank, std::uint32_t ranks) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
}

void check_size(const image::own_directory& own, const rank_file& f) {
  std::uint64_t bytes = 0;
  try {
    bytes = own.file_bytes(f.name);
  } catch (const image::image_error& error) {
    if (error.kind() != image::error_kind::missing) throw;
    wrong_image(error_kind::missing_file, own.path_of(f.name),
                "the image of rank " + std::to_string(f.rank) + " is missing");
  }
  if (bytes != f.bytes)
    wrong_image(error_kind::damaged, own.path_of(f.name), "the image has " + std::to_string(bytes) + " bytes, " +
                std::to_string(f.bytes) + " were written");
}

std::string manifest_text(const std::string& path) {
  const std::string name = path + "/" + manifest_name;
  try {
    return image::own_directory::at(path).read_file(manifest_name, most_manifest_bytes);
  } catch (const image::image_error& error) {
    if (error.kind() == image::error_kind::missing)
      throw store_error(error_kind::no_checkpoint, name + ": cannot be opened; the checkpoint is not complete");
    throw as_store_error(error, error_kind::unreadable);
  }
}

}  // namespace

manifest read_manifest(const std::string& path) {
  const std::string text = manifest_text(path);
  try {
    manifest m = from_json(text);
    const auto number = image::generation_number(image::name_of(path));
    if (m.generation != 0 && number && m.generation != *number)
      throw store_error(error_kind::damaged, "it is that of generation " + std::to_string(m.generation));
    return m;
  } catch (const store_error& error) {
    const std::string name = path + "/" + manifest_name;
    if (error.kind() == error_kind::other_version) throw store_error(error.kind(), name + ": " + error.what());
    throw store_error(error.kind(),
                      name + ": the manifest is damaged: " + error.what() + "; restart an earlier checkpoint");
  }
}

void check_file(const generation& g, const manifest& contents, const rank_file& f, depth how) {
  in_store(error_kind::unreadable, [&] {
    check_size(image::own_directory::at(g.path), f);
    const std::string path = g.path + "/" + f.name;
    image::rank_image image(path);
    if (image.header().rank != f.rank || image.header().world_size != contents.ranks)
      wrong_image(error_kind::damaged, path,
                  "this is the image of " + rank_of(image.header().rank, image.header().world_size) + ", not of " +
                      rank_of(f.rank, contents.ranks));
    if (image.checksum() != f.checksum)
      wrong_image(error_kind::damaged, path, "this image belongs to another checkpoint");
    image.check_sources();
    if (how == depth::all_bytes) image.verify();
  });
}

std::uint64_t shared_bytes(const generation& g) {
  return in_store(error_kind::unreadable, [&] {
    const auto own = image::own_directory::at(g.path);
    std::uint64_t bytes = 0;
    for (const std::string& name : own.names())
      if (name.starts_with(image::program_files::copy_begins)) bytes += own.file_bytes(name);
    return bytes;
  });
}

void verify(const generation& g) {
  const manifest contents = read_manifest(g.path);
  for (const rank_file& f : contents.files) check_file(g, contents, f, depth::all_bytes);
}

}  // namespace mana::store
