// `mana add-mpi`: the work is a script's, which needs a compiler and Python. It runs with what the installation has.
#include <runtime/tools/launch/exec.hpp>
#include <runtime/tools/mpi/install_tree.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace mana::tools {
namespace {

namespace fs = std::filesystem;

failure not_added(const std::string& what, const std::string& remedy) {
  return failure(exit_status::mpi_not_added, what + "; nothing is added", remedy);
}

/// The user's own place, with this command where a lower half looks for it.
fs::path make_own_place() {
  const fs::path place = own_mpis_directory();
  if (place.empty()) throw not_added("--user: you have no home directory", "set HOME, or XDG_DATA_HOME");
  std::error_code error;
  fs::create_directories(place, error);
  const fs::path bin = place.parent_path().parent_path() / "bin";
  if (!error) fs::create_directories(bin, error);
  if (error) throw not_added(fmt::format("--user: {}: {}", place.string(), error.message()), "name a directory of your own in XDG_DATA_HOME");
  constexpr auto of_others = fs::perms::group_write | fs::perms::others_write;
  fs::permissions(place, of_others, fs::perm_options::remove, error);
  if (!fs::exists(fs::symlink_status(bin / "mana", error))) fs::create_symlink(fs::read_symlink("/proc/self/exe"), bin / "mana", error);
  return place;
}

}  // namespace

void add_mpi(const add_mpi_command& wanted, const environment& get) {
  const fs::path script = find_add_mpi();
  const fs::path python = find_command("python3", get);
  if (python.empty()) throw not_added("there is no python3", "install Python 3.8 or later");
  std::vector<std::string> words{script.string()};
  if (!wanted.name.empty()) words.insert(words.end(), {"--name", wanted.name});
  if (wanted.replace) words.emplace_back("--replace");
  if (wanted.user) {
    words.insert(words.end(), {"--into", make_own_place().string()});
    for (const live_mpi& one : installed_mpis()) words.insert(words.end(), {"--taken", one.name});
  }
  words.insert(words.end(), {"--", wanted.compiler});
  become(python, words);
}

}  // namespace mana::tools
