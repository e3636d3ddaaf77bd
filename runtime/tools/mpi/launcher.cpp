#include <runtime/tools/mpi/launcher.hpp>

#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace mana::tools {
namespace {

/// A rule of family.toml: variables that must be set, and, after a '!', variables that must not be set.
bool holds(std::string_view rule, const environment& get) {
  while (!rule.empty()) {
    const std::size_t end = std::min(rule.find(' '), rule.size());
    const bool wanted = rule[0] != '!';
    const std::string name(rule.substr(wanted ? 0 : 1, end - (wanted ? 0 : 1)));
    if ((get(name.c_str()) != nullptr) != wanted) return false;
    rule.remove_prefix(std::min(end + 1, rule.size()));
  }
  return true;
}

const mpi_family* started_by(const char* const* mpi_family::* rules, const environment& get) {
  for (const mpi_family& family : mpi_families)
    if (any_in(family.*rules, [&](const char* rule) { return holds(rule, get); })) return &family;
  return nullptr;
}

int number(const environment& get, const char* const* mpi_family::* names, const char* of_batch_system, int otherwise) {
  int found = otherwise;
  const auto read = [&](const char* value) { return found = std::atoi(value), true; };
  if (!first_variable(names, get, read) && of_batch_system != nullptr)
    if (const char* const value = get(of_batch_system)) read(value);
  return found;
}

/// The launcher is certain, and of another MPI than --mpi.
[[noreturn]] void disagree(const mpi_evidence& evidence) {
  const std::string started = long_name(*evidence.started_by.mpi);
  throw failure(exit_status::mpi_mismatch,
                fmt::format("--mpi {}: this process was started by {}'s launcher", evidence.wanted, started),
                fmt::format("leave --mpi out to run over {}, or start the ranks with the launcher of {}", started, evidence.wanted));
}

[[noreturn]] void refuse_unknown(const mpi_evidence& evidence, const std::string& what) {
  throw failure(exit_status::parts_missing,
                fmt::format("{}{}{}", what, evidence.installed.empty() ? "" : "; it has ",
                            names_of(evidence.installed)),
                "mana doctor lists the live MPIs; mana add-mpi MPICC adds one");
}

/// The MPI's mpirun; empty: it is missing.
std::filesystem::path launcher_file(const live_mpi& one) {
  std::error_code error;
  const auto file = std::filesystem::canonical(one.launcher, error);
  return error ? std::filesystem::path() : file;
}

/// Whether a launcher that started this process is the MPI's mpirun or, as on other nodes, lies beside it.
bool is_launched_by(const live_mpi& one, const std::filesystem::path& launcher) {
  const auto mpirun = launcher_file(one);
  return !mpirun.empty() && launcher.parent_path() == mpirun.parent_path();
}

bool has_started_this(const live_mpi& one, const mpi_evidence& evidence) {
  return std::ranges::any_of(evidence.started_from, [&](const auto& program) { return is_launched_by(one, program); });
}

/// Several of one family: the one whose launcher has started this process, the nearest first. Without such a launcher, the
/// one with the family's name, which was added first. Without that, the first by name.
const live_mpi* one_of(const mpi_evidence& evidence, mpi_name family) {
  std::vector<const live_mpi*> all;
  for (const live_mpi& one : evidence.installed)
    if (one.family == family) all.push_back(&one);
  for (const auto& program : evidence.started_from)
    for (const live_mpi* const one : all)
      if (is_launched_by(*one, program)) return one;
  for (const live_mpi* const one : all)
    if (one->name == short_name(family)) return one;
  return all.empty() ? nullptr : all.front();
}

/// The compiler command beside the mpirun that has started this process; empty: not seen from here, e.g. from another node.
std::string compiler_beside_launcher(const mpi_family& family, const mpi_evidence& evidence) {
  constexpr std::string_view any_mpirun = "mpirun";
  const std::string_view mpirun = family.mpirun;      // "mpirun.mpich": its compiler command is "mpicc.mpich"
  const std::string ending(mpirun.starts_with(any_mpirun) ? mpirun.substr(any_mpirun.size()) : "");
  for (const auto& program : evidence.started_from)
    for (const std::string& end : {ending, std::string()}) {
      std::error_code error;
      const auto place = program.parent_path();
      const auto is_there = [&](const char* name) { return std::filesystem::is_regular_file(place / (name + end), error); };
      if (is_there("mpirun") && is_there("mpicc")) return (place / ("mpicc" + end)).string();
    }
  return {};
}

[[noreturn]] void refuse_launcher(const mpi_evidence& evidence) {
  const mpi_family& family = *family_of(*evidence.started_by.mpi);
  const std::string compiler = compiler_beside_launcher(family, evidence);
  throw failure(exit_status::launcher_unknown,
                fmt::format("the launcher is {0}'s, but this installation has no live MPI of that family; {1}", family.long_name,
                            evidence.installed.empty() ? "it has no live MPI at all" : "it has " + names_of(evidence.installed)),
                fmt::format("mana add-mpi {}{}", compiler.empty() ? "MPICC, with the path of that MPI's mpicc" : compiler,
                            evidence.started_by.certain ? "" : "; or --mpi NAME, of a live MPI that this batch system's plug-in can start"));
}

const live_mpi& wanted_live(const mpi_evidence& evidence) {
  const live_mpi* const wanted = find_live_mpi(evidence.installed, evidence.wanted);
  if (wanted == nullptr) refuse_unknown(evidence, "this installation has no live MPI " + evidence.wanted);
  const launcher& by = evidence.started_by;
  const bool is_of_any = family_of(wanted->family)->any_launcher;
  if (by.mpi && by.certain && *by.mpi != wanted->family && !is_of_any) disagree(evidence);
  return *wanted;
}

[[noreturn]] void refuse_without(const mpi_evidence& evidence) {
  throw failure(exit_status::mpi_mismatch,
                fmt::format("{} is linked with {}, and --mpi none is for programs without MPI", evidence.program,
                            long_name(evidence.linked.found.front())),
                "leave --mpi out");
}

}  // namespace

const char* short_name(mpi_name mpi) {
  const mpi_family* const family = family_of(mpi);
  return family == nullptr ? "none" : family->name;
}
const char* long_name(mpi_name mpi) {
  const mpi_family* const family = family_of(mpi);
  return family == nullptr ? "no MPI" : family->long_name;
}

std::optional<mpi_name> parse_mpi_name(const std::string& text) {
  for (const mpi_family& family : mpi_families)
    if (text == family.name) return family.id;
  return text == short_name(mpi_name::none) ? std::optional(mpi_name::none) : std::nullopt;
}
std::optional<mpi_name> mpi_of_checkpoint(const std::string& text) {
  for (const mpi_family& family : mpi_families)
    if (text == family.long_name) return family.id;
  return text == long_name(mpi_name::none) ? std::optional(mpi_name::none) : std::nullopt;
}

launcher find_launcher(const environment& get) {
  launcher found;
  if (const mpi_family* const certain = started_by(&mpi_family::certain, get)) {
    found = {certain->id, true};
  } else if (const mpi_family* const likely = started_by(&mpi_family::likely, get)) {
    found = {likely->id, false};
  }
  found.rank = number(get, &mpi_family::rank, nullptr, -1);
  found.node_rank = number(get, &mpi_family::node_rank, "SLURM_LOCALID", 0);
  return found;
}

linked_mpi find_linked_mpi(const std::vector<loaded_library>& closure) {
  linked_mpi result;
  const auto add = [&](mpi_name mpi) {
    if (std::find(result.found.begin(), result.found.end(), mpi) == result.found.end()) result.found.push_back(mpi);
  };
  for (const auto& [name, file] : closure) {
    const auto base = name.substr(name.rfind('/') + 1);
    if (const mpi_family* const family = family_of_library(base)) {
      add(family->id);
      result.sonames.push_back(base);
    } else if (is_mpi_library(base)) {
      result.foreign.push_back(name);
    }
  }
  return result;
}

std::optional<live_mpi> choose_live(const mpi_evidence& evidence, std::optional<mpi_name> made_with) {
  if (!evidence.wanted.empty()) return wanted_live(evidence);
  const launcher& by = evidence.started_by;
  if (by.mpi && by.certain) {
    if (const live_mpi* const of_launcher = one_of(evidence, *by.mpi)) return *of_launcher;
    refuse_launcher(evidence);
  }
  for (const auto& family : {made_with, by.mpi})
    if (family)
      if (const live_mpi* const same = one_of(evidence, *family)) return *same;
  if (by.mpi) refuse_launcher(evidence);
  if (!made_with) return std::nullopt;
  if (evidence.installed.empty()) refuse_unknown(evidence, evidence.program + ": this installation has no live MPI");
  return evidence.installed.front();
}

mpi_choice choose_mpi(const mpi_evidence& evidence) {
  const auto& linked = evidence.linked;
  if (evidence.wanted == short_name(mpi_name::none)) {
    if (!linked.found.empty()) refuse_without(evidence);
    return {mpi_name::none, std::nullopt};
  }
  std::optional<mpi_name> abi = evidence.wanted_abi;
  if (!abi && linked.found.size() > 1)
    throw failure(exit_status::mpi_mismatch,
                  fmt::format("{} is linked with both {} and {}{}", evidence.program, long_name(linked.found[0]), long_name(linked.found[1]),
                              linked.sonames.empty() ? "" : fmt::format(" ({})", fmt::join(linked.sonames, ", "))),
                  "link it with one of them, or choose with " MANA_ABI_OPTIONS);
  if (!abi && linked.found.empty() && !linked.foreign.empty())
    throw failure(exit_status::mpi_unsupported,
                  fmt::format("{} is linked with an MPI library that mana does not know ({})", evidence.program,
                              fmt::join(linked.foreign, ", ")),
                  "link it with " MANA_MPI_LIBRARIES);
  if (!abi && !linked.found.empty()) abi = linked.found.front();
  std::optional<live_mpi> live = choose_live(evidence, abi);
  if (!live) return {mpi_name::none, std::nullopt};
  const mpi_name chosen = abi.value_or(live->family);
  return {chosen, std::move(live)};
}

std::string remark_on(const live_mpi& chosen, const mpi_evidence& evidence) {
  std::vector<std::string> others;
  for (const auto& hidden : chosen.hidden) others.push_back(hidden.string());
  if (!others.empty())
    return fmt::format("two live MPIs are called {}: {} is taken, and not {}; mana add-mpi --name gives another name", chosen.name,
                       chosen.lower_half.string(), fmt::join(others, ", "));
  if (!evidence.wanted.empty() || has_started_this(chosen, evidence)) return {};
  for (const live_mpi& one : evidence.installed)
    if (one.family == chosen.family && one.name != chosen.name) others.push_back(fmt::format("{} ({})", one.name, one.version));
  if (others.empty()) return {};
  return fmt::format("of several live MPIs of {}, {} ({}) is taken; --mpi chooses another: {}", long_name(chosen.family), chosen.name,
                     chosen.version, fmt::join(others, ", "));
}

std::string described(const mpi_choice& chosen) {
  if (!chosen.live || (chosen.live->family == chosen.abi && chosen.live->name == short_name(chosen.abi))) return long_name(chosen.abi);
  return fmt::format("a program of {} over {}", long_name(chosen.abi), chosen.live->name);
}

std::vector<std::filesystem::path> launchers_among(std::vector<std::filesystem::path> programs) {
  std::erase_if(programs, [](const auto& program) { return !starts_ranks(program.filename().string()); });
  return programs;
}

std::vector<std::filesystem::path> programs_of_ancestors() {
  std::vector<std::filesystem::path> programs;
  std::error_code error;
  for (pid_t pid = ::getppid(); pid > 1;) {
    const std::string process = fmt::format("/proc/{}/", pid);
    const auto program = std::filesystem::read_symlink(process + "exe", error);
    if (!error) programs.push_back(program);
    std::ifstream file(process + "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t after_name = text.rfind(')');      // "PID (NAME) STATE PARENT …": a name may contain anything
    if (after_name == std::string::npos || std::sscanf(text.c_str() + after_name, ") %*c %d", &pid) != 1) break;
  }
  return programs;
}

}  // namespace mana::tools
