#include "store.hpp"

#include "manifest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace mana::store {

namespace {

constexpr const char* manifest_name = "manifest.json";
constexpr const char* prefix = "gen-";

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw store_error(error_kind::unwritable, path + ": " + what + ": " + std::strerror(errno) +
                    "; the program runs on, earlier checkpoints stand");
}

/// Makes what is in a directory, or a file's bytes, durable.
void sync_path(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) refuse(path, "cannot be opened");
  const int rc = fsync(fd);
  close(fd);
  if (rc != 0) refuse(path, "cannot be made durable");
}

void make_directory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) refuse(path, "the directory cannot be made");
}

/// The generation's number from its directory's name.
std::optional<std::uint64_t> number_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + std::strlen(prefix), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

/// Writes under another name, syncs, renames into place.
void write_durably(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) refuse(temporary, "cannot be created");
  const bool ok = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  const int error = errno;
  close(fd);
  if (ok && rename(temporary.c_str(), path.c_str()) == 0) return;
  if (!ok) errno = error;
  const int why = errno;
  unlink(temporary.c_str());
  errno = why;
  refuse(path, "cannot be written");
}

/// The manifest first: a directory that is half removed is no checkpoint.
void remove_generation(const generation& g) noexcept {
  std::error_code ignored;
  if (fs::remove(g.path + "/" + manifest_name, ignored)) {
    const int fd = open(g.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      fsync(fd);
      close(fd);
    }
  }
  fs::remove_all(g.path, ignored);
}

/// Keeps the newest complete ones; of what is not complete, only what is newer than them.
void prune(const std::string& directory) {
  std::vector<generation> all = list(directory);
  std::size_t complete = 0;
  for (auto g = all.rbegin(); g != all.rend(); ++g) {
    if (complete >= kept_generations) remove_generation(*g);
    else if (is_complete(*g)) ++complete;
    else if (complete > 0) remove_generation(*g);
  }
}

void check_files(const generation& made, const manifest& contents) {
  for (const rank_file& f : contents.files) {
    struct stat about{};
    const std::string path = made.path + "/" + f.name;
    if (stat(path.c_str(), &about) != 0 || static_cast<std::uint64_t>(about.st_size) != f.bytes)
      throw store_error(error_kind::missing_file, path + ": rank " + std::to_string(f.rank) + " wrote " +
                        std::to_string(f.bytes) + " bytes that rank 0 does not see; the checkpoint directory must be "
                        "on a file system that all nodes share");
  }
}

}  // namespace

std::string rank_file_name(std::uint32_t rank) {
  char text[32];
  std::snprintf(text, sizeof text, "rank-%05u.mana", rank);
  return text;
}

std::vector<generation> list(const std::string& directory) {
  std::vector<generation> found;
  if (const auto own = number_of(fs::path(directory).lexically_normal()); own && fs::exists(directory))
    return {{directory, *own}};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (const auto number = number_of(entry.path())) found.push_back({entry.path().string(), *number});
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return found;
}

bool is_complete(const generation& g) { return access((g.path + "/" + manifest_name).c_str(), F_OK) == 0; }

generation begin_generation(const std::string& directory) {
  std::error_code ignored;
  fs::create_directories(fs::path(directory).parent_path(), ignored);
  make_directory(directory);
  const std::vector<generation> all = list(directory);
  const std::uint64_t number = all.empty() ? 1 : all.back().number + 1;
  char name[32];
  std::snprintf(name, sizeof name, "/%s%06llu", prefix, static_cast<unsigned long long>(number));
  const generation made{directory + name, number};
  if (mkdir(made.path.c_str(), 0700) != 0) refuse(made.path, "the directory cannot be made");
  return made;
}

void commit(const generation& made, const manifest& contents) {
  check_files(made, contents);
  const std::string parent = fs::path(made.path).parent_path().string();
  sync_path(made.path);
  sync_path(parent);
  write_durably(made.path + "/" + manifest_name, to_json(contents));
  sync_path(made.path);
  prune(parent);
}

void abandon(const generation& made) noexcept { remove_generation(made); }

generation newest_complete(const std::string& directory) {
  if (!fs::is_directory(directory))
    throw store_error(error_kind::no_checkpoint, directory + ": no such directory; name the one that mana run was given by --ckpt-dir");
  std::vector<generation> all = list(directory);
  for (auto g = all.rbegin(); g != all.rend(); ++g)
    if (is_complete(*g)) return *g;
  throw store_error(error_kind::no_checkpoint, directory + ": there is no complete checkpoint" +
                    (all.empty() ? std::string() : " (" + std::to_string(all.size()) + " that were not finished)") +
                    "; name the directory that mana run was given by --ckpt-dir");
}

manifest read_manifest(const std::string& path) {
  const std::string name = path + "/" + manifest_name;
  std::ifstream file(name, std::ios::binary);
  if (!file) throw store_error(error_kind::no_checkpoint, name + ": cannot be opened; the checkpoint is not complete");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return from_json(text.str());
  } catch (const store_error& error) {
    throw store_error(error.kind(), name + ": the manifest is damaged: " + error.what() + "; restart an earlier checkpoint");
  }
}

}  // namespace mana::store
