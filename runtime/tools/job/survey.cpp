#include <runtime/tools/job/survey.hpp>

#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/store_failure.hpp>

#include <runtime/store/removal.hpp>
#include <runtime/store/store_paths.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace mana::tools {
namespace {

image_view view_file(const store::generation& g, const store::manifest& m, const store::rank_file& f) {
  image_view v{f.rank, g.path + "/" + f.name, f.bytes, f.memory_bytes, {}, {}, f.write_s, f.writer_bytes};
  try {
    store::check_file(g, m, f, store::depth::identity);
  } catch (const store::store_error& error) {
    v.problem = error.what();
  }
  return v;
}

copy_view view_copy(const store::generation& g, const store::file_copy& f) {
  copy_view v{g.path + "/" + f.name, f.bytes, f.checksum, {}};
  try {
    store::check_copy(g, f, store::depth::identity);
  } catch (const store::store_error& error) {
    v.problem = error.what();
  }
  return v;
}

void take_manifest(const store::generation& g, checkpoint_view& v) {
  const store::manifest m = store::read_manifest(g.path);
  v.unix_time_s = m.unix_time_s;
  v.mpi = m.mpi;
  v.mpi_version = m.mpi_version;
  v.program = m.program;
  v.ranks = m.ranks;
  for (const store::phase_row& p : store::phase_table) v.phases_s.emplace_back(p.name, m.phases_s.*p.seconds);
  v.mode = m.mode;
  v.builds_on = m.builds_on;
  v.warnings = m.warnings;
  v.shared_bytes = store::shared_bytes(g);
  for (const store::rank_file& f : m.files) v.images.push_back(view_file(g, m, f));
  for (const store::file_copy& f : m.copies) v.copies.push_back(view_copy(g, f));
}

bool is_being_written(const store::generation& g) {
  return store::in_store(store::error_kind::unreadable, [&g] {
    return store::may_be_written(files::own_directory::open(files::directory_of(g.path)), g.number);
  });
}

void take_generation(const store::generation& g, checkpoint_view& v) {
  v.complete = store::is_complete(g);
  if (!v.complete) {
    v.being_written = is_being_written(g);
    return;
  }
  take_manifest(g, v);
  v.failure = store::failure_of(g);
}

checkpoint_view view_generation(const store::generation& g) {
  checkpoint_view v;
  v.directory = g.path;
  v.generation = g.number;
  try {
    take_generation(g, v);
  } catch (const store::store_error& error) {
    v.problem = error.what();
    v.unreadable = error.kind() == store::error_kind::unreadable;
  }
  return v;
}

void require_directory(const std::string& directory) {
  std::error_code error;
  const auto type = std::filesystem::status(directory, error).type();
  if (type == std::filesystem::file_type::none)
    throw failure(exit_status::checkpoint_unreadable, fmt::format("{}: {}", directory, error.message()));
  if (type != std::filesystem::file_type::directory)
    throw failure(exit_status::checkpoint_missing, directory + ": no such directory");
}

std::vector<store::generation> generations_in(const std::string& directory) {
  try {
    return store::list(directory);
  } catch (const store::store_error& error) {
    fail_with(error);
  }
}

}  // namespace

void leave_out_what_is_gone(std::vector<checkpoint_view>& checkpoints) {
  std::erase_if(checkpoints, [](const checkpoint_view& v) {
    return v.complete && !is_sound(v) && !store::is_complete({v.directory, v.generation});
  });
}

std::vector<checkpoint_view> view_directory(const std::string& directory, std::optional<std::uint64_t> number) {
  require_directory(directory);
  std::vector<checkpoint_view> all;
  for (const store::generation& g : generations_in(directory))
    if (!number || g.number == *number) all.push_back(view_generation(g));
  leave_out_what_is_gone(all);
  if (!all.empty()) return all;
  throw failure(exit_status::checkpoint_missing,
                number ? fmt::format("{}: there is no checkpoint {}", directory, *number)
                       : directory + ": there is no checkpoint",
                number ? "list the checkpoints: mana list" : "name the directory that mana run was given by "
                                                             "--ckpt-dir");
}

}  // namespace mana::tools
