#include <runtime/store/nodes/local_store.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/image/format/contents.hpp>
#include <runtime/image/format/generation_name.hpp>
#include <runtime/store/nodes/local_failure.hpp>
#include <runtime/store/nodes/local_parity.hpp>
#include <runtime/store/store_paths.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

namespace mana::store {

namespace {

constexpr std::size_t piece_bytes = 1u << 20;

using files::own_directory;

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

std::string path_of_generation(const std::string& directory, std::uint64_t generation) {
  return (tidy(directory) / image::generation_name(generation)).string();
}

/// errors: image_error, store_error (damaged)
void check_image(const own_directory& own, const local_image& about) {
  const std::string name = rank_file_name(about.rank), path = own.path_of(name);
  const files::descriptor fd = own.open_file(name);
  if (own.file_bytes(name) != about.bytes)
    throw store_error(error_kind::damaged, path + ": the image does not have the " + std::to_string(about.bytes) +
                                               " bytes that were written");
  if (image::read_identity(fd.get(), path) != about.checksum)
    throw store_error(error_kind::damaged, path + ": this image belongs to another checkpoint");
}

void check_not_failed(const own_directory& own, std::uint32_t rank) {
  if (const auto failed = local_failure_of(own, rank))
    throw store_error(error_kind::damaged,
                      own.path_of(rank_file_name(rank)) + ": a restart from it failed: " + *failed);
}

local_image read_sidecar(const own_directory& own, const std::string& name, std::uint64_t generation) {
  const std::string text = own.read_file(name, most_sidecar_bytes);
  try {
    const local_image about = sidecar_from_json(text);
    if (about.generation != generation || sidecar_name(about.rank) != name)
      throw store_error(error_kind::damaged, "it is that of rank " + std::to_string(about.rank) + " in generation " +
                                                 std::to_string(about.generation));
    return about;
  } catch (const store_error& error) {
    throw store_error(error.kind(), own.path_of(name) + ": " + error.what());
  }
}

/// in:  end  of the name, from the point on
/// out: nothing if no rank's file has this name
std::optional<std::uint32_t> rank_of(const std::string& name, std::string_view end) {
  constexpr std::string_view begin = "rank-";
  std::uint32_t rank = 0;
  if (!name.starts_with(begin) || !name.ends_with(end)) return std::nullopt;
  const char* const last = name.data() + name.size() - end.size();
  const auto [at, error] = std::from_chars(name.data() + begin.size(), last, rank);
  if (error != std::errc() || at != last) return std::nullopt;
  return rank;
}

void look_into(const own_directory& own, std::uint64_t generation, std::optional<std::uint32_t> wanted,
               found_images& found) {
  for (const std::string& name : own.names()) {
    const auto rank = rank_of(name, ".json");
    if (!rank || (wanted && rank != wanted)) continue;
    try {
      const local_image about = read_sidecar(own, name, generation);
      if (local_failure_of(own, about.rank)) found.failed.push_back(about);
      check_image(own, about);
      check_not_failed(own, about.rank);
      found.sound.push_back(about);
    } catch (const std::runtime_error& error) {
      found.problems.push_back(error.what());
    }
  }
}

void copy_bytes(int from, const std::string& path, std::uint64_t bytes, files::output_file& to,
                files::write_meter* meter) {
  posix_fadvise(from, 0, 0, POSIX_FADV_SEQUENTIAL);
  for (std::uint64_t done = 0; done < bytes;) {
    char* const place = to.room(piece_bytes);
    if (place == nullptr) return;
    const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, bytes - done));
    const ssize_t n = pread(from, place, most, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) files::throw_io(path, "cannot be read");
    if (n == 0) throw store_error(error_kind::damaged, path + ": the image ends too early");
    to.commit(static_cast<std::size_t>(n));
    posix_fadvise(from, static_cast<off_t>(done), n, POSIX_FADV_DONTNEED);
    done += static_cast<std::uint64_t>(n);
    if (meter != nullptr) meter->add(static_cast<std::uint64_t>(n));
  }
}

/// For each directory of a generation in DIR. A missing DIR, or a directory that somebody removes, counts as empty.
template <class Look>
void for_each_generation(const std::string& directory, Look&& look) {
  const auto unless_missing = [](auto&& step) {
    try {
      step();
    } catch (const files::image_error& error) {
      if (error.kind() != files::error_kind::missing) throw;
    }
  };
  unless_missing([&] {
    const own_directory all = own_directory::open(tidy(directory).string());
    for (const std::string& name : all.names())
      if (const auto number = image::generation_number(name))
        unless_missing([&] { look(all.open_directory(name), *number); });
  });
}

}  // namespace

std::string node_name() {
  if (const char* const given = std::getenv("MANA_NODE"); given != nullptr && *given != '\0') return given;
  char name[HOST_NAME_MAX + 1] = {};
  if (gethostname(name, sizeof name - 1) != 0)
    throw store_error(error_kind::unreadable, std::string("the node's name is unknown: ") + std::strerror(errno));
  return name;
}

std::string local_directory(const std::string& directory, const std::string& node) {
  if (!directory.starts_with('/'))
    throw store_error(error_kind::unwritable, directory + ": the path of a node's directory begins with /");
  std::string path;
  for (std::size_t at = 0; at < directory.size(); ++at) {
    if (directory[at] != '%') {
      path += directory[at];
      continue;
    }
    const char what = ++at < directory.size() ? directory[at] : '\0';
    if (what != 'n' && what != '%')
      throw store_error(error_kind::unwritable, directory + ": after % only n, the node's name, or another % is valid");
    if (what == 'n' && !is_file_name(node))
      throw store_error(error_kind::unwritable,
                        directory + ": the node's name, \"" + node + "\", cannot be that of a directory");
    path += what == 'n' ? node : "%";
  }
  return path;
}

std::string local_image_path(const std::string& directory, std::uint64_t generation, std::uint32_t rank) {
  return path_of_generation(directory, generation) + "/" + rank_file_name(rank);
}

void prepare_local(const std::string& directory) {
  in_store(error_kind::unwritable, [&] { own_directory::make(tidy(directory).string()); });
}

std::string begin_local(const std::string& directory, std::uint64_t generation, std::uint32_t rank) {
  return in_store(error_kind::unwritable, [&] {
    const own_directory own = own_directory::make(path_of_generation(directory, generation));
    const std::string name = rank_file_name(rank);
    if (own.has(name) || own.has(sidecar_name(rank)))
      throw store_error(error_kind::unwritable, own.path_of(name) + ": there is an image of another checkpoint of this number");
    return own.path_of(name);
  });
}

void finish_local(const std::string& directory, const local_image& about) {
  in_store(error_kind::unwritable, [&] {
    const own_directory own = own_directory::open(path_of_generation(directory, about.generation));
    check_image(own, about);
    own.sync();                          // no sidecar may be durable before the name of its image
    own.write_file(sidecar_name(about.rank), to_json(about));
    own.sync();
  });
}

found_images find_local(const std::string& directory, std::optional<std::uint32_t> rank) {
  return in_store(error_kind::unreadable, [&] {
    found_images found;
    for_each_generation(directory, [&](const own_directory& own, std::uint64_t number) { look_into(own, number, rank, found); });
    std::sort(found.sound.begin(), found.sound.end(), [](const local_image& a, const local_image& b) {
      return std::pair(a.generation, a.rank) < std::pair(b.generation, b.rank);
    });
    return found;
  });
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> local_files(const std::string& directory) {
  return in_store(error_kind::unreadable, [&] {
    std::set<std::pair<std::uint64_t, std::uint32_t>> found;
    for_each_generation(directory, [&](const own_directory& own, std::uint64_t number) {
      for (const std::string& name : own.names())
        for (const std::string_view end : {".json", ".mana", ".mana.new", ".parity", ".parity.new"})
          if (const auto rank = rank_of(name, end)) found.emplace(number, *rank);
    });
    return std::vector(found.begin(), found.end());
  });
}

bool remove_local(const std::string& directory, std::uint64_t generation, std::uint32_t rank) noexcept {
  try {
    const own_directory all = own_directory::open(tidy(directory).string());
    const std::string name = image::generation_name(generation);
    const own_directory own = all.open_directory(name);
    own.remove(sidecar_name(rank));      // first: no sidecar may describe a removed image
    own.remove(local_failure_name(rank));
    const std::string files[] = {rank_file_name(rank), parity_file_name(rank)};
    bool is_gone = !own.has(sidecar_name(rank));
    for (const std::string& file : files)
      for (const std::string& one : {file, temporary_name(file)}) {
        own.remove(one);
        is_gone = is_gone && !own.has(one);
      }
    all.remove_directory(name);          // fails while other ranks have files in the directory
    return is_gone;
  } catch (const files::image_error& error) {
    return error.kind() == files::error_kind::missing;
  } catch (const std::exception&) {
    return false;
  }
}

files::descriptor open_local(const std::string& directory, const local_image& about) {
  return in_store(error_kind::unreadable, [&] {
    const own_directory own = own_directory::open(path_of_generation(directory, about.generation));
    check_image(own, about);
    return own.open_file(rank_file_name(about.rank));
  });
}

void copy_to_global(const std::string& directory, const local_image& about, const std::string& to,
                    std::uint64_t most_per_s, files::write_meter* meter) {
  if (meter != nullptr) meter->begin(about.bytes);
  in_store(error_kind::unwritable, [&] {
    const own_directory own = own_directory::open(path_of_generation(directory, about.generation));
    check_image(own, about);
    const std::string name = rank_file_name(about.rank);
    const files::descriptor from = own.open_file(name);
    files::output_file copy(to, most_per_s, meter);
    copy_bytes(from.get(), own.path_of(name), about.bytes, copy, meter);
    if (!copy.finish())
      throw store_error(error_kind::unwritable,
                        to + ": " + copy.failure().what + ": " + std::strerror(copy.failure().error));
  });
}

}  // namespace mana::store
