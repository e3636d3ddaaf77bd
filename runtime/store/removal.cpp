#include <runtime/store/removal.hpp>

#include <runtime/files/io_error.hpp>
#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/store/directory_lock.hpp>
#include <runtime/store/store_id.hpp>
#include <runtime/store/store_paths.hpp>

#include <mana/core/fault_points.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <set>
#include <utility>

namespace mana::store {

using image::generation_name;
using files::own_directory;

namespace {

constexpr std::time_t left_alone_s = 24 * 3600;

/// For file systems without locks: whether something was written in the directory in the last day.
bool was_touched(const own_directory& own) {
  std::time_t newest = 0;
  for (const std::string& name : own.names()) {
    struct stat about{};
    if (fstatat(own.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) newest = std::max(newest, about.st_mtime);
  }
  struct stat about{};
  if (fstat(own.get(), &about) == 0) newest = std::max(newest, about.st_mtime);
  return std::time(nullptr) - newest < left_alone_s;
}

/// For version 1, whose manifests do not list them. A missing image needs nothing.
std::vector<std::uint64_t> needed_by_images(const own_directory& own, const manifest& m) {
  std::set<std::uint64_t> needed;
  for (const rank_file& f : m.files) try {
      const image::rank_image of_rank(own.path_of(f.name));
      for (const image::source& s : of_rank.about().sources)
        if (s.kind == image::source_kind::generation) needed.insert(s.generation);
    } catch (const files::image_error& error) {
      if (error.kind() != files::error_kind::missing && error.kind() != files::error_kind::damaged) throw;
    }
  return {needed.begin(), needed.end()};
}

kept_generation look_inside(const own_directory& all, std::uint64_t number) {
  const own_directory own = all.open_directory(generation_name(number));
  if (!own.has(manifest_name))
    return {number, may_be_written(all, number) ? generation_state::being_written : generation_state::incomplete, {}};
  if (own.has(failed_name)) return {number, generation_state::failed, {}};
  const manifest m = read_manifest(own.path());
  return {number, generation_state::sound, m.version == 1 ? needed_by_images(own, m) : m.builds_on};
}

kept_generation look_at(const own_directory& all, std::uint64_t number, std::vector<std::string>& problems) {
  try {
    return look_inside(all, number);
  } catch (const store_error& error) {
    if (error.kind() == error_kind::no_checkpoint) return {number, generation_state::incomplete, {}};
    if (error.kind() == error_kind::damaged) return {number, generation_state::damaged, {}};
    problems.emplace_back(error.what());
  } catch (const files::image_error& error) {
    if (error.kind() == files::error_kind::missing) return {number, generation_state::incomplete, {}};
    problems.emplace_back(error.what());
  }
  return {number, generation_state::unreadable, {}};
}

/// out: nothing: the name is no file
std::optional<std::uint64_t> size_of(const own_directory& own, const std::string& name) {
  struct stat about{};
  const bool is_file = fstatat(own.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode);
  return is_file ? std::optional(static_cast<std::uint64_t>(about.st_size)) : std::nullopt;
}

std::uint64_t bytes_in(const own_directory& own) {
  std::uint64_t bytes = 0;
  for (const std::string& name : own.names()) bytes += size_of(own, name).value_or(0);
  return bytes;
}

/// errors: image_error (io), with the name of a file that still exists, and why
void require_gone(const own_directory& all, std::uint64_t number) {
  const std::string name = generation_name(number);
  if (!all.has_directory(name)) return;
  const own_directory own = all.open_directory(name);
  for (const std::string& file : own.names())
    if (size_of(own, file) && !own.remove(file)) files::throw_io(own.path_of(file), "cannot be removed");
  if (own.names().empty() && !all.remove_directory(name) && errno != ENOENT)
    files::throw_io(own.path(), "cannot be removed");
}

std::uint64_t bytes_left(const own_directory& all, std::uint64_t number) {
  const std::string name = generation_name(number);
  return all.has_directory(name) ? bytes_in(all.open_directory(name)) : 0;
}

/// The kept generations must be durable before others go.
void make_kept_durable(const own_directory& all, const std::vector<kept_generation>& known) {
  for (const kept_generation& g : known)
    if (g.state == generation_state::sound) all.open_directory(generation_name(g.number)).sync();
  all.sync();
}

struct leaving {
  std::uint64_t number = 0, bytes = 0;     // of its files, with the manifest
};

/// Does the step for each generation. A failure does not stop the other steps. A missing generation was removed by
/// somebody else, who needs no lock for a directory without a manifest.
/// out: those whose step succeeded
template <class Some, class Step>
Some for_each_of(const Some& some, std::vector<std::string>& problems, Step&& step) {
  Some done;
  for (const auto& one : some) try {
      step(one);
      done.push_back(one);
    } catch (const files::image_error& error) {
      if (error.kind() != files::error_kind::missing) problems.emplace_back(error.what());
    }
  return done;
}

/// A generation that cannot be read stays.
std::vector<leaving> measured(const own_directory& all, const std::vector<std::uint64_t>& numbers,
                              std::vector<std::string>& problems) {
  std::vector<leaving> some;
  for_each_of(numbers, problems, [&](std::uint64_t number) {
    some.push_back({number, bytes_in(all.open_directory(generation_name(number)))});
  });
  return some;
}

/// The generation then no longer exists.
/// errors: image_error (io), also if the manifest stays: then all else stays, too
void remove_manifest(const own_directory& own) {
  if (own.remove(manifest_name)) return own.sync();
  if (errno != ENOENT) files::throw_io(own.path_of(manifest_name), "cannot be removed");
}

/// out: generations that no longer exist; the others must stay unchanged
std::vector<leaving> remove_manifests(const own_directory& all, const std::vector<leaving>& some,
                                      std::vector<std::string>& problems) {
  auto removed = for_each_of(some, problems, [&](const leaving& l) {
    remove_manifest(all.open_directory(generation_name(l.number)));
  });
  fault_point(fault::point::half_removed);
  return removed;
}

/// Counts only removed files.
void remove_all(const own_directory& all, const std::vector<leaving>& some, const work_listener& progress, prune_result& result) {
  std::vector<work_size> parts;
  for (const leaving& l : some) parts.push_back({"checkpoint " + std::to_string(l.number), l.bytes});
  progress.begins(parts);
  std::size_t part = 0;
  for_each_of(some, result.problems, [&](const leaving& l) {
    remove_files(all, l.number, [&progress, now = part++](std::uint64_t bytes) { progress.did(now, bytes); });
    result.bytes += l.bytes - std::min(l.bytes, bytes_left(all, l.number));
    require_gone(all, l.number);
    result.removed.push_back(l.number);
  });
}

/// True if unknown.
bool may_have_nodes(const own_directory& all) {
  try {
    return read_store_id(all.path()).has_value();
  } catch (const store_error&) {
    return true;
  }
}

std::vector<kept_generation> look_at_all(const own_directory& all, std::vector<std::string>& problems) {
  std::vector<kept_generation> known;
  const bool on_nodes = may_have_nodes(all);
  for (const generation& g : list(all.path())) {
    known.push_back(look_at(all, g.number, problems));
    if (known.back().state == generation_state::incomplete && !on_nodes) known.back().state = generation_state::left_behind;
  }
  return known;
}

/// A dry run makes no file: without the lock's file nobody holds a lock.
directory_lock lock_for(const own_directory& all, bool dry_run, std::chrono::milliseconds patience) {
  if (dry_run && !all.has(directory_lock::file_name)) return {};
  return directory_lock::of_all(all, lock_kind::exclusive, patience);
}

prune_result would_be_removed(const std::vector<leaving>& some, std::vector<std::string> problems) {
  prune_result result{{}, 0, std::move(problems)};
  for (const leaving& l : some) {
    result.removed.push_back(l.number);
    result.bytes += l.bytes;
  }
  return result;
}

prune_result prune_in(const own_directory& all, std::size_t keep, bool dry_run, std::chrono::milliseconds patience,
                      const work_listener& progress) {
  prune_result result;
  std::vector<leaving> some;
  {
    const auto lock = lock_for(all, dry_run, patience);
    if (lock.end() == lock_end::busy) {
      result.problems.push_back(all.path() + ": a job writes or restarts a checkpoint there, or mana compact runs; "
                                             "try again later");
      return result;
    }
    const std::vector<kept_generation> known = look_at_all(all, result.problems);
    some = measured(all, superfluous(known, keep), result.problems);
    if (dry_run) return would_be_removed(some, std::move(result.problems));
    if (some.empty()) return result;
    make_kept_durable(all, known);
    some = remove_manifests(all, some, result.problems);
  }
  remove_all(all, some, progress, result);
  return result;
}

/// errors: store_error (no_checkpoint): nothing to keep, and nothing to remove
void require_checkpoints(const std::string& directory) {
  const std::vector<generation> all = list(directory);
  if (all.empty()) throw store_error(error_kind::no_checkpoint, directory + ": there is no checkpoint; name the directory that "
                                     "mana run was given by --ckpt-dir");
  if (all.front().path == tidy(directory).string())
    throw store_error(error_kind::no_checkpoint, directory + ": this is one checkpoint; name its directory");
}

}  // namespace

void remove_contents(const own_directory& all, std::uint64_t number, const std::function<void(std::uint64_t)>& removed) {
  const own_directory own = all.open_directory(generation_name(number));
  remove_manifest(own);
  for (const std::string& file : own.names()) {
    const std::uint64_t bytes = size_of(own, file).value_or(0);
    if (own.remove(file)) removed(bytes);
  }
}

void remove_files(const own_directory& all, std::uint64_t number, const std::function<void(std::uint64_t)>& removed) {
  remove_contents(all, number, removed);
  all.remove_directory(generation_name(number));
}

bool may_be_written(const own_directory& all, std::uint64_t number) {
  if (!all.has(directory_lock::file_name)) return false;     // every writer makes this file, with or without locks
  const lock_end writer = directory_lock::state_of_generation(all, number);
  return writer == lock_end::busy || (writer == lock_end::none_here && was_touched(all.open_directory(generation_name(number))));
}

prune_result remove_superfluous(const std::string& directory, std::size_t keep, bool dry_run, std::chrono::milliseconds patience,
                                const work_listener& progress) {
  try {
    return prune_in(own_directory::open(tidy(directory).string()), keep, dry_run, patience, progress);
  } catch (const files::image_error& error) {
    if (error.kind() == files::error_kind::missing) throw store_error(error_kind::no_checkpoint, error.what());
    throw as_store_error(error, error_kind::unreadable);
  }
}

prune_result prune(const std::string& directory, std::size_t keep, bool dry_run, const work_listener& progress) {
  constexpr std::chrono::seconds patience{5};
  std::error_code error;
  if (std::filesystem::is_directory(directory, error)) require_checkpoints(directory);
  return remove_superfluous(directory, keep, dry_run, patience, progress);
}

}  // namespace mana::store
