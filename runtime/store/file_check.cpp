// Whether the files that a manifest names exist, and agree with it.
#include <runtime/files/io_error.hpp>
#include <runtime/image/format/checksum.hpp>
#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/origins/program_files.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/store/manifest.hpp>
#include <runtime/store/store_paths.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mana::store {

namespace {

[[noreturn]] void wrong_image(error_kind kind, const std::string& path, const std::string& what) {
  throw store_error(kind, path + ": " + what + "; restart an earlier checkpoint (mana list shows them)");
}

std::string rank_of(std::uint32_t rank, std::uint32_t ranks) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
}

/// in: what  the kind of file     of  whose it is
void check_size(const files::own_directory& own, const std::string& name, std::uint64_t wanted, const std::string& what,
                const std::string& of) {
  std::uint64_t bytes = 0;
  try {
    bytes = own.file_bytes(name);
  } catch (const files::image_error& error) {
    if (error.kind() != files::error_kind::missing) throw;
    wrong_image(error_kind::missing_file, own.path_of(name), what + of + " is missing");
  }
  if (bytes != wanted)
    wrong_image(error_kind::damaged, own.path_of(name), what + " has " + std::to_string(bytes) + " bytes, " +
                std::to_string(wanted) + " were written");
}

void check_size(const files::own_directory& own, const file_copy& f) {
  check_size(own, f.name, f.bytes, "the copy of a program's file", ", which ranks share,");
}

/// Checks the copies in the image's own generation.
void check_copies_of(const files::own_directory& own, const manifest& contents, const image::rank_image& of) {
  for (const image::source& s : of.about().sources) {
    if (s.kind != image::source_kind::file_copy || s.generation != contents.generation || contents.copies.empty()) continue;
    const auto found = std::find_if(contents.copies.begin(), contents.copies.end(), [&](auto& c) { return c.name == s.name; });
    if (found == contents.copies.end())
      wrong_image(error_kind::damaged, of.path(), "the manifest does not know the file " + s.name + ", which the image refers to");
    check_size(own, *found);
  }
}

std::uint64_t checksum_of(int fd, const std::string& path) {
  image::checksum_state sum;
  std::vector<char> piece(1u << 20);
  for (off_t at = 0;;) {
    const ssize_t n = pread(fd, piece.data(), piece.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) files::throw_io(path, "cannot be read");
    if (n == 0) return sum.digest();
    sum.add(piece.data(), static_cast<std::size_t>(n));
    at += n;
  }
}

std::string manifest_text(const std::string& path) {
  const std::string name = path + "/" + manifest_name;
  try {
    return files::own_directory::at(path).read_file(manifest_name, most_manifest_bytes);
  } catch (const files::image_error& error) {
    if (error.kind() == files::error_kind::missing)
      throw store_error(error_kind::no_checkpoint, name + ": cannot be opened; the checkpoint is not complete");
    throw as_store_error(error, error_kind::unreadable);
  }
}

}  // namespace

manifest read_manifest(const std::string& path) {
  const std::string text = manifest_text(path);
  try {
    manifest m = from_json(text);
    const auto number = image::generation_number(files::name_of(path));
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
    const auto own = files::own_directory::at(g.path);
    check_size(own, f.name, f.bytes, "the image", " of rank " + std::to_string(f.rank));
    const std::string path = g.path + "/" + f.name;
    image::rank_image image(path);
    if (image.header().rank != f.rank || image.header().world_size != contents.ranks)
      wrong_image(error_kind::damaged, path,
                  "this is the image of " + rank_of(image.header().rank, image.header().world_size) + ", not of " +
                      rank_of(f.rank, contents.ranks));
    if (image.checksum() != f.checksum)
      wrong_image(error_kind::damaged, path, "this image belongs to another checkpoint");
    check_copies_of(own, contents, image);
    image.check_sources();
    if (how == depth::all_bytes) image.verify();
  });
}

void check_copy(const generation& g, const file_copy& f, depth how) {
  in_store(error_kind::unreadable, [&] {
    const auto own = files::own_directory::at(g.path);
    check_size(own, f);
    if (how == depth::all_bytes && checksum_of(own.open_file(f.name).get(), own.path_of(f.name)) != f.checksum)
      wrong_image(error_kind::damaged, own.path_of(f.name), "its checksum is wrong");
  });
}

std::uint64_t shared_bytes(const generation& g) {
  return in_store(error_kind::unreadable, [&] {
    const auto own = files::own_directory::at(g.path);
    std::uint64_t bytes = 0;
    for (const std::string& name : own.names())
      if (name.starts_with(image::program_files::copy_begins)) bytes += own.file_bytes(name);
    return bytes;
  });
}

void verify(const generation& g) {
  const manifest contents = read_manifest(g.path);
  for (const rank_file& f : contents.files) check_file(g, contents, f, depth::all_bytes);
  for (const file_copy& f : contents.copies) check_copy(g, f, depth::all_bytes);
}

}  // namespace mana::store
