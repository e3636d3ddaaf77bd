#include <runtime/tools/mpi/launcher.hpp>

#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

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

/// The launcher's MPI differs from the program's, and the launcher's MPI is certain.
[[noreturn]] void disagree(const mpi_evidence& evidence, mpi_name program) {
  throw failure(exit_status::mpi_mismatch,
                fmt::format("{} uses {}, but was started by {}'s mpirun", evidence.program, long_name(program),
                            long_name(*evidence.started_by.mpi)),
                fmt::format("start it with {} (on Debian: {})", long_name(program), family_of(program)->mpirun));
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
    if (const mpi_family* const family = family_of_library(base)) add(family->id);
    else if (is_mpi_library(base)) result.foreign.push_back(name);
  }
  return result;
}

mpi_name choose_mpi(const mpi_evidence& evidence) {
  const auto& [program, linked, started_by, wanted] = evidence;
  if (wanted == mpi_name::none) {
    if (!linked.found.empty()) refuse_without(evidence);
    return mpi_name::none;
  }
  if (!wanted && linked.found.size() > 1)
    throw failure(exit_status::mpi_mismatch, fmt::format("{} is linked with both {} and {}", program, long_name(linked.found[0]),
                              long_name(linked.found[1])),
                  "link it with one of them, or choose with " MANA_MPI_OPTIONS);
  if (!wanted && linked.found.empty() && !linked.foreign.empty())
    throw failure(exit_status::mpi_unsupported,
                  fmt::format("{} is linked with an MPI that this mana does not support ({})", program,
                              fmt::join(linked.foreign, ", ")),
                  "link it with " MANA_MPI_LIBRARIES);
  std::optional<mpi_name> choice = wanted;
  if (!choice && !linked.found.empty()) choice = linked.found.front();
  if (choice) {
    if (started_by.mpi && started_by.certain && *started_by.mpi != *choice) disagree(evidence, *choice);
    return *choice;
  }
  return started_by.mpi.value_or(mpi_name::none);
}

}  // namespace mana::tools
