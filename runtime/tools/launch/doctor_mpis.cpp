// Checks of the live MPIs: of the one that a program would run over, and of all that the installation knows.
#include <runtime/tools/launch/doctor.hpp>
#include <runtime/tools/launch/lower_half_answer.hpp>
#include <runtime/tools/launch/program_check.hpp>
#include <runtime/tools/mpi/install_tree.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace mana::tools {
namespace {

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
finding any_library(const live_mpi& one, const lower_half_answer& answer) {
  const std::string text = fmt::format("{}: {} {}", one.name, family_of(one.family)->long_name, one.version);
  if (answer.version.empty())
    return {"live-mpi", verdict::ok, fmt::format("{}; --mpi {} would end here: {}", text, one.name, answer.complaint), ""};
  return {"live-mpi", verdict::ok, fmt::format("{}, over {}, launched by the mpirun of that MPI", text, answer.version), ""};
}

finding live(const live_mpi& one) {
  const std::string built = fmt::format("{} {}", family_of(one.family)->long_name, one.version);
  const lower_half_answer answer = ask_lower_half(one.lower_half);
  const std::vector<std::string> not_found = lacking(one.lower_half);
  if (one.compiler.empty() && not_found.empty()) return any_library(one, answer);
  const bool is_another = !answer.version.empty() && answer.version != built;
  std::string text = fmt::format("{}: {}", one.name, is_another ? fmt::format("{} (built with {})", answer.version, one.version) : built);
  if (!one.place.empty()) text += fmt::format(" in {}", one.place.string());
  text += one.launcher.empty() ? ", no launcher beside its compiler" : fmt::format(", launched by {}", one.launcher.string());
  const std::string again = one.compiler.empty() ? "install mana again" : command_to_build(one);
  if (!not_found.empty())
    return {"live-mpi", verdict::warning, fmt::format("{}; not found: {}", text, fmt::join(not_found, ", ")),
            "install the MPI's libraries, or " + again};
  if (answer.version.empty())
    return {"live-mpi", verdict::warning, fmt::format("{}; its lower half does not start: {}", text, answer.complaint), again};
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
    const lower_half_answer answer = ask_lower_half(parts.lower_half);
    const std::string& found = answer.version;
    if (found.empty())
      return {"mpi", verdict::will_not_work,
              fmt::format("mana's part for {} does not start: {}", chosen.live->name, answer.complaint),
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
