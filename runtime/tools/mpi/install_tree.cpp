#include <runtime/tools/mpi/install_tree.hpp>

#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

// Relative paths from the command's directory, which CMake sets for this installation's layout.
#if !defined(MANA_LIBEXEC_FROM_BIN) || !defined(MANA_LIB_FROM_BIN) || !defined(MANA_SHARE_FROM_BIN)
#error "set by runtime/tools/CMakeLists.txt"
#endif

namespace mana::tools {
namespace {

std::filesystem::path directory_of_command() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

std::filesystem::path from_command(const char* way) { return (directory_of_command() / way).lexically_normal(); }

std::filesystem::path existing(const std::filesystem::path& file, mpi_name needed_for) {
  if (std::filesystem::exists(file)) return file;
  const mpi_family* const family = family_of(needed_for);
  const bool is_manas_own = family == nullptr || family->any_launcher;      // no MPI's compiler command can make it
  throw failure(exit_status::parts_missing,
                fmt::format("this installation has no part for {}: {} is missing",
                            family == nullptr ? "programs without MPI" : family->long_name, file.string()),
                is_manas_own ? "install mana again"
                             : fmt::format("mana add-mpi MPICC, with an mpicc of {}, as the owner of the installation; and --replace "
                                           "if mana doctor lists that MPI", family->long_name));
}

/// Programs of this directory run as the user: nobody else may write in it.
bool is_own(const std::filesystem::path& directory) {
  struct stat found {};
  return ::stat(directory.c_str(), &found) == 0 && found.st_uid == ::geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::filesystem::path own_mpis_directory() {
  const char* const data = std::getenv("XDG_DATA_HOME");
  const char* const home = std::getenv("HOME");
  std::filesystem::path place;
  if (data != nullptr && *data == '/') place = data;
  else if (home != nullptr && *home == '/') place = std::filesystem::path(home) / ".local/share";
  else return {};
  std::string installation = directory_of_command().parent_path().string();      // installations of one user do not mix
  std::ranges::replace(installation, '/', '%');
  return place / "mana" / installation / "libexec/mana";
}

std::vector<live_mpi> installed_mpis() {
  std::vector<live_mpi> all = read_live_mpis(from_command(MANA_LIBEXEC_FROM_BIN));
  const auto own = own_mpis_directory();
  return own.empty() || !is_own(own) ? all : joined(std::move(all), read_live_mpis(own));
}

std::filesystem::path find_add_mpi() {
  const auto script = from_command(MANA_LIB_FROM_BIN) / "add-mpi" / "add_mpi.py";
  if (std::filesystem::exists(script)) return script;
  throw failure(exit_status::parts_missing, fmt::format("this installation has no part for mana add-mpi: {} is missing", script.string()),
                "install mana with cmake --install; a build tree takes MPIs by -DMANA_MPICC=…");
}

std::filesystem::path find_lower_half(const std::optional<live_mpi>& live) {
  if (live && !live->lower_half.empty()) return existing(live->lower_half, live->family);
  const std::string name = live ? live->name : short_name(mpi_name::none);
  return existing(from_command(MANA_LIBEXEC_FROM_BIN) / ("mana-lower-" + name), live ? live->family : mpi_name::none);
}

installed_parts find_parts(const mpi_choice& chosen) {
  const auto library = from_command(MANA_LIB_FROM_BIN);
  installed_parts parts{find_lower_half(chosen.live),
                        existing(library / fmt::format("libmana-{}.so", short_name(chosen.abi)), chosen.abi), {}};
  parts.preload = parts.wrappers.string();
  if (const mpi_family* const family = family_of(chosen.abi))
    any_in(family->sonames, [&](const char* soname) {
      const auto stand_in = library / fmt::format("libmana-{}-{}.so", short_name(chosen.abi), soname);
      if (std::filesystem::exists(stand_in)) parts.preload += ":" + stand_in.string();
      return false;
    });
  return parts;
}

namespace {

constexpr char stand_ins[] = "stand-ins";      // in the directory of checkpoints

std::string read_whole(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The empty library, with this soname in place of the longer one that it was linked with.
/// out: empty: the name is too long
std::string renamed_stand_in(std::string library, const std::string& soname) {
  constexpr std::string_view first = "mana-stand-in-";
  const std::size_t begin = library.find(first), end = library.find('\0', begin);
  if (begin == std::string::npos || end == std::string::npos || soname.size() > end - begin) return {};
  library.replace(begin, end - begin, soname + std::string(end - begin - soname.size(), '\0'));
  return library;
}

/// Ranks make the same file at the same time: each writes its own, and the last rename wins.
void write_stand_in(const std::filesystem::path& file, const std::string& contents) {
  std::string made = file.string() + ".XXXXXX";
  const int fd = ::mkostemp(made.data(), O_CLOEXEC);
  const ssize_t written = fd < 0 ? -1 : ::write(fd, contents.data(), contents.size());
  int why = written < 0 ? errno : ENOSPC;
  if (fd >= 0) ::close(fd);
  if (written == static_cast<ssize_t>(contents.size())) {
    if (::rename(made.c_str(), file.c_str()) == 0) return;
    why = errno;
  }
  if (fd >= 0) ::unlink(made.c_str());
  throw failure(exit_status::directory_unwritable, fmt::format("{}: {}", file.string(), std::strerror(why)),
                "make room, or name another directory with --ckpt-dir");
}

}  // namespace

std::string make_stand_ins(mpi_name abi, const linked_mpi& linked, const std::filesystem::path& directory) {
  const mpi_family* const family = family_of(abi);
  std::string preload;
  if (family == nullptr) return preload;
  const auto library = from_command(MANA_LIB_FROM_BIN);
  for (const std::string& soname : linked.sonames) {
    const bool has_own = soname == family->sonames[0] || std::filesystem::exists(library / fmt::format("libmana-{}-{}.so", family->name, soname));
    if (has_own || family_of_library(soname) != family) continue;
    const auto template_file = existing(library / "libmana-stand-in.so", abi);
    const std::string contents = renamed_stand_in(read_whole(template_file), soname);
    if (contents.empty()) continue;
    std::error_code error;
    std::filesystem::create_directory(directory / stand_ins, error);
    const auto file = directory / stand_ins / soname;
    if (read_whole(file) != contents) write_stand_in(file, contents);
    preload += ":" + file.string();
  }
  return preload;
}

std::filesystem::path guide_directory() {
  return from_command(MANA_SHARE_FROM_BIN) / "guide";
}

}  // namespace mana::tools
