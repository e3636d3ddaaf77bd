#include <runtime/store/nodes/local_parity.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/store/nodes/local_failure.hpp>
#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store_paths.hpp>

#include <cstdio>
#include <utility>

namespace mana::store {

namespace {

files::own_directory make_generation(const std::string& directory, std::uint64_t generation) {
  return files::own_directory::make((tidy(directory) / image::generation_name(generation)).string());
}

}  // namespace

std::string parity_file_name(std::uint32_t rank) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%05u.parity", rank);
  return name;
}

std::string temporary_name(const std::string& name) { return name + ".new"; }

shared_work_file::shared_work_file(files::own_directory in, std::string name, bool was_there)
    : in_(std::move(in)), name_(std::move(name)), was_there_(was_there) {
  if (!was_there) in_.remove(temporary_name(name_));
  fd_ = was_there ? in_.open_or_make_file(name_) : in_.make_file(temporary_name(name_));
}

shared_work_file::~shared_work_file() {
  if (fd_ && !was_there_) in_.remove(temporary_name(name_));
}

shared_work_file shared_work_file::make(const std::string& directory, std::uint64_t generation,
                                        const std::string& name) {
  return in_store(error_kind::unwritable,
                  [&] { return shared_work_file(make_generation(directory, generation), name, false); });
}

shared_work_file shared_work_file::open_or_make(const std::string& directory, std::uint64_t generation,
                                                const std::string& name) {
  return in_store(error_kind::unreadable, [&] {
    files::own_directory in = make_generation(directory, generation);
    const bool was_there = in.has(name);
    return shared_work_file(std::move(in), name, was_there);
  });
}

void shared_work_file::finish() {
  if (was_there_) return;
  in_store(error_kind::unwritable, [&] {
    if (in_.has(name_)) throw store_error(error_kind::unwritable, path() + ": there is a file of this name already");
    in_.rename(temporary_name(name_), name_);
    was_there_ = true;
  });
}

void finish_rebuilt(const std::string& directory, const local_image& about, bool is_other) {
  in_store(error_kind::unwritable, [&] {
    const files::own_directory own = make_generation(directory, about.generation);
    const auto failed = local_failure_of(own, about.rank);
    if (failed && !is_other)
      throw store_error(error_kind::damaged, own.path_of(rank_file_name(about.rank)) +
                                                 ": it is intact, and a restart from it failed: " + *failed);
    own.remove(sidecar_name(about.rank));
    own.remove(local_failure_name(about.rank));
  });
  finish_local(directory, about);
}

}  // namespace mana::store
