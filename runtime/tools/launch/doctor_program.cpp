// Checks of the program, from its files alone.
#include <runtime/tools/launch/doctor.hpp>
#include <runtime/tools/launch/program_check.hpp>

#include <mana/gen/refused_functions.hpp>

#include <runtime/symbols/elf_symbol_table.hpp>
#include <runtime/symbols/mapped_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace mana::tools {
namespace {

/// The libraries that the wrapper library replaces.
std::set<std::string> mpi_libraries(const linked_mpi& linked) {
  std::set<std::string> all(linked.sonames.begin(), linked.sonames.end());
  for (const mpi_family& family : mpi_families)
    any_in(family.sonames, [&](const char* soname) { return all.insert(soname), false; });
  return all;
}

/// True for a library of the system or of an MPI: its calls say nothing about the program.
bool is_of_system(const std::string& name) {
  for (const char* system : {"libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "ld-linux", "libgcc_s.so",
                             "libstdc++.so", "libgfortran.so", "libquadmath.so", "libmpi", "libopen-", "libmana"})
    if (name.starts_with(system)) return true;
  return false;
}

std::set<std::string> undefined_in(const std::filesystem::path& file) {
  std::set<std::string> names;
  const symbols::mapped_file contents(file);
  symbols::for_each_symbol(contents.bytes(), SHT_DYNSYM, [&](std::string_view name, const Elf64_Sym& symbol) {
    if (symbol.st_shndx == SHN_UNDEF && !name.empty()) names.emplace(name);
  });
  return names;
}

/// MPI_File_open for PMPI_File_open and for Fortran's mpi_file_open_, in lower case, so that names can be compared.
std::string plain_name(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.starts_with("pmpi_")) name.erase(0, 1);
  for (const char* ending : {"_", "_cdesc", "_f08ts", "_f08", "_"})
    if (name.ends_with(ending)) name.erase(name.size() - std::string_view(ending).size());
  return name;
}

findings mpi_calls(const std::set<std::string>& imported) {
  std::set<std::string> called;
  for (const std::string& name : imported) called.insert(plain_name(name));
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const refused_function& f : refused_functions)
    if (called.contains(plain_name(f.name))) by_reason[f.why].emplace_back(f.name);
  findings all;
  for (const auto& [why, names] : by_reason)
    all.push_back({"mpi-calls", verdict::warning, fmt::format("gets an MPI error if it calls {} ({})",
                                                              fmt::join(names, ", "), why),
                   "see docs/coverage.md for what works"});
  if (all.empty())
    all.push_back({"mpi-calls", verdict::ok, "none of its symbols is a refused MPI function", ""});
  return all;
}

struct system_call { const char *name, *what; };
constexpr system_call doubtful[] = {
    {"dlmopen", "libraries of other namespaces are not distinguished"},
    {"clone", "threads and processes that bypass libc may not be restored"},
    {"ptrace", "tracing is not restored"},
    {"io_uring_setup", "rings are not saved"},
    {"io_uring_queue_init", "rings are not saved"},
    {"io_uring_queue_init_params", "rings are not saved"},
    {"fork", "child processes are not part of a checkpoint"},
    {"vfork", "child processes are not part of a checkpoint"},
    {"system", "child processes are not part of a checkpoint"},
    {"popen", "child processes are not part of a checkpoint"},
    {"posix_spawn", "child processes are not part of a checkpoint"},
};

findings system_calls(const std::set<std::string>& imported) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const system_call& call : doubtful)
    if (imported.contains(call.name)) by_reason[call.what].emplace_back(call.name);
  findings all;
  for (const auto& [what, names] : by_reason)
    all.push_back({"calls", verdict::warning, fmt::format("uses {}: {}", fmt::join(names, ", "), what), ""});
  if (all.empty()) all.push_back({"calls", verdict::ok, "none of its calls has an effect that a checkpoint cannot "
                                                        "keep", ""});
  return all;
}

finding rights(const std::filesystem::path& file) {
  struct stat found {};
  const bool known = ::stat(file.c_str(), &found) == 0;
  if (!known || (found.st_mode & (S_ISUID | S_ISGID)) == 0)
    return {"rights", verdict::ok, "runs with the caller's rights", ""};
  return {"rights", verdict::warning, "is setuid or setgid, which has no effect: mana loads it itself",
          "start mana with the rights that it needs"};
}

finding stack(const std::filesystem::path& file) {
  const symbols::mapped_file contents(file);
  const auto header = symbols::at<Elf64_Ehdr>(contents.bytes(), 0);
  for (std::size_t i = 0; header && i < header->e_phnum; ++i) {
    const auto segment = symbols::at<Elf64_Phdr>(contents.bytes(), header->e_phoff + i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_GNU_STACK && (segment->p_flags & PF_X) != 0)
      return {"stack", verdict::ok, "its stack is executable, and stays so", ""};
  }
  return {"stack", verdict::ok, "its stack is not executable", ""};
}

finding libraries(const std::vector<loaded_library>& loaded) {
  std::vector<std::string> missing;
  for (const loaded_library& library : loaded)
    if (library.file.empty() && family_of_library(library.name) == nullptr) missing.push_back(library.name);
  if (missing.empty()) return {"libraries", verdict::ok, fmt::format("all {} libraries exist", loaded.size()), ""};
  return {"libraries", verdict::will_not_work, fmt::format("not found: {}", fmt::join(missing, ", ")),
          "install them on every node, or name their directory in LD_LIBRARY_PATH"};
}

finding kind(const checked_program& program) {
  return {"program", verdict::ok, fmt::format("{}: dynamically linked, for x86-64", program.file.string()), ""};
}

finding sanitizer(const checked_program& program) {
  try {
    refuse_sanitized(program);
    return {"sanitizer", verdict::ok, "built without sanitizers", ""};
  } catch (const failure& refused) {
    return as_finding("sanitizer", refused);
  }
}

}  // namespace

findings examine_program(const doctor_command& wanted, const environment& get) {
  checked_program program;
  try {
    program = check_program(wanted.command, get);
  } catch (const failure& refused) {
    return {as_finding("program", refused)};
  }
  const char* const library_path = get("LD_LIBRARY_PATH");
  const auto loaded = library_closure(read_elf_program(program.file), read_library_cache(),
                                      library_path ? library_path : "", mpi_libraries(program.linked));
  std::set<std::string> imported = undefined_in(program.file);
  for (const loaded_library& library : loaded)
    if (!is_of_system(library.name)) imported.merge(undefined_in(library.file));
  findings all{kind(program),         sanitizer(program),   examine_mpi(wanted, program.linked, get),
               libraries(loaded),     rights(program.file), stack(program.file)};
  for (const auto& more : {mpi_calls(imported), system_calls(imported)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace mana::tools
