// Checks of the live MPIs: of the one that a program would run over, and of all that the installation knows.
#include <runtime/tools/launch/doctor.hpp>
#include <runtime/tools/launch/program_check.hpp>
#include <runtime/tools/mpi/install_tree.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mana::tools {
namespace {

/// The first line of a lower half's standard output, or of all that it prints.
std::string first_line_of(const std::filesystem::path& lower_half, const char* redirection) {
  std::string path = lower_half.string();
  for (std::size_t at = 0; (at = path.find('\'', at)) != std::string::npos; at += 4) path.replace(at, 1, "'\\''");
  const std::string command = "'" + path + "' mpi-version " + redirection;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(::popen(command.c_str(), "r"), ::pclose);
  std::array<char, 1000> line{};
  if (!answer || std::fgets(line.data(), line.size(), answer.get()) == nullptr) return {};
  std::string text = line.data();
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// The MPI library that a lower half finds: "MPICH 4.0.2". out: empty if the lower half cannot start
std::string version_of_live_mpi(const std::filesystem::path& lower_half) { return first_line_of(lower_half, "2>/dev/null"); }

/// Why a lower half does not start: the dynamic loader's message, or its own.
std::string complaint_of(const std::filesystem::path& lower_half) {
  constexpr std::string_view introduction = "mana: error: ";
  std::string line = first_line_of(lower_half, "2>&1");
  if (line.starts_with(introduction)) line.erase(0, introduction.size());
  return line.empty() ? "it says nothing" : line;
}

/// Libraries that the lower half is linked with and the dynamic loader does not find.
std::vector<std::string> lacking(const std::filesystem::path& lower_half) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(lower_half)) return {lower_half.string()};
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  for (const loaded_library& library : library_closure(read_elf_program(lower_half), read_library_cache(), path ? path : ""))
    if (library.file.empty()) names.push_back(library.name);
  return names;
}

/// The command that builds the lower half of a live MPI once more.
std::string command_to_build(const live_mpi& one) {
  const bool is_users = one.lower_half.parent_path() == own_mpis_directory();
  return fmt::format("mana add-mpi {}--replace --name {} {}", is_users ? "--user " : "", one.name, one.compiler.string());
}

/// A lower half that needs no MPI's compiler command: it opens the library of whichever MPI has one.
finding any_library(const live_mpi& one, const std::string& found) {
  const std::string text = fmt::format("{}: {} {}", one.name, family_of(one.family)->long_name, one.version);
  if (found.empty())
    return {"live-mpi", verdict::ok, fmt::format("{}; --mpi {} would end here: {}", text, one.name, complaint_of(one.lower_half)), ""};
  return {"live-mpi", verdict::ok, fmt::format("{}, over {}, launched by the mpirun of that MPI", text, found), ""};
}

finding live(const live_mpi& one) {
  const std::string built = fmt::format("{} {}", family_of(one.family)->long_name, one.version);
  const std::string found = version_of_live_mpi(one.lower_half);
  if (one.compiler.empty() && lacking(one.lower_half).empty()) return any_library(one, found);
  const bool is_another = !found.empty() && found != built;
  std::string text = fmt::format("{}: {}", one.name, is_another ? fmt::format("{} (built with {})", found, one.version) : built);
  if (!one.place.empty()) text += fmt::format(" in {}", one.place.string());
  text += one.launcher.empty() ? ", no launcher beside its compiler" : fmt::format(", launched by {}", one.launcher.string());
  const std::string again = one.compiler.empty() ? "install mana again" : command_to_build(one);
  if (const auto names = lacking(one.lower_half); !names.empty())
    return {"live-mpi", verdict::warning, fmt::format("{}; not found: {}", text, fmt::join(names, ", ")),
            "install the MPI's libraries, or " + again};
  if (found.empty())
    return {"live-mpi", verdict::warning, fmt::format("{}; its lower half does not start: {}", text, complaint_of(one.lower_half)), again};
  if (!one.mana.empty() && one.mana != MANA_VERSION)
    return {"live-mpi", verdict::warning, fmt::format("{}; it was added to mana {}", text, one.mana), again};
  if (!one.hidden.empty())
    return {"live-mpi", verdict::warning, fmt::format("{}; {} has the same name and is not taken", text, one.hidden.front().string()),
            "add that one again under another name: mana add-mpi --user --name NAME MPICC"};
  return {"live-mpi", verdict::ok, text, ""};
}

}  // namespace

finding examine_mpi(const doctor_command& wanted, const linked_mpi& linked, const environment& get) {
  try {
    const mpi_choice chosen = choose_mpi({wanted.command[0], linked, find_launcher(get), wanted.mpi, parse_mpi_name(wanted.abi),
                                          installed_mpis(), launchers_among(programs_of_ancestors())});
    const installed_parts parts = find_parts(chosen);
    if (!chosen.live)
      return {"mpi", verdict::ok, "none: a job of one process, without MPI",
              "if it loads an MPI later, start it with mpirun, or name the MPI with --mpi"};
    const std::string found = version_of_live_mpi(parts.lower_half);
    if (found.empty())
      return {"mpi", verdict::will_not_work,
              fmt::format("mana's part for {} does not start: {}", chosen.live->name, complaint_of(parts.lower_half)),
              "install the MPI's libraries, or name their directory in LD_LIBRARY_PATH"};
    const mpi_family& family = *family_of(chosen.live->family);
    const auto is_it = [&](const char* version) { return found == fmt::format("{} {}", family.long_name, version); };
    if (family.any_launcher || any_in(family.versions, is_it)) return {"mpi", verdict::ok, found, ""};
    return {"mpi", verdict::warning, found + " is a version with which mana was not tested", "take a checkpoint early, and restart it"};
  } catch (const failure& refused) {
    return as_finding("mpi", refused);
  }
}

findings examine_live_mpis() {
  findings all;
  for (const live_mpi& one : installed_mpis()) all.push_back(live(one));
  if (all.empty()) all.push_back({"live-mpi", verdict::warning, "none: only programs without MPI run here", "mana add-mpi MPICC adds one"});
  return all;
}

}  // namespace mana::tools
