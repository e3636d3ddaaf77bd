// Checks of the program, from its files alone.
#include <runtime/tools/launch/doctor.hpp>
#include <runtime/tools/launch/program_check.hpp>
#include <runtime/tools/mpi/install_tree.hpp>

#include <mana/gen/refused_functions.hpp>

#include <runtime/symbols/elf_symbol_table.hpp>
#include <runtime/symbols/mapped_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
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

/// Asks the lower half for the MPI library that it finds: "MPICH 4.0.2". out: empty if the lower half cannot start
std::string version_of_live_mpi(const std::filesystem::path& lower_half) {
  std::string path = lower_half.string();
  for (std::size_t at = 0; (at = path.find('\'', at)) != std::string::npos; at += 4) path.replace(at, 1, "'\\''");
  const std::string command = "'" + path + "' mpi-version 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(::popen(command.c_str(), "r"), ::pclose);
  std::array<char, 200> line{};
  if (!answer || std::fgets(line.data(), line.size(), answer.get()) == nullptr) return {};
  std::string text = line.data();
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

finding mpi(const doctor_command& wanted, const checked_program& program, const environment& get) {
  try {
    const mpi_choice chosen = choose_mpi({wanted.command[0], program.linked, find_launcher(get), wanted.mpi,
                                          parse_mpi_name(wanted.abi), installed_mpis(), launchers_among(programs_of_ancestors())});
    const installed_parts parts = find_parts(chosen);
    if (!chosen.live)
      return {"mpi", verdict::ok, "none: a job of one process, without MPI",
              "if it loads an MPI later, start it with mpirun, or name the MPI with --mpi"};
    const std::string live = version_of_live_mpi(parts.lower_half);
    if (live.empty())
      return {"mpi", verdict::will_not_work, fmt::format("mana's part for {} does not start", chosen.live->name),
              fmt::format("install the libraries of {}", long_name(chosen.live->family))};
    const mpi_family& family = *family_of(chosen.live->family);
    const auto is_it = [&](const char* version) { return live == fmt::format("{} {}", family.long_name, version); };
    if (any_in(family.versions, is_it)) return {"mpi", verdict::ok, live, ""};
    return {"mpi", verdict::warning, live + " is a version with which mana was not tested",
            "take a checkpoint early, and restart it"};
  } catch (const failure& refused) {
    return as_finding("mpi", refused);
  }
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

finding live(const live_mpi& one) {
  const mpi_family& family = *family_of(one.family);
  const std::string built = fmt::format("{} {}", family.long_name, one.version);
  const std::string found = version_of_live_mpi(one.lower_half);
  // Without a compiler the declarations are mana's own, and the version is that of the ABI.
  const bool is_another = !found.empty() && found != built && !one.compiler.empty();
  std::string text = fmt::format("{}: {}", one.name, is_another ? fmt::format("{} (built with {})", found, one.version) : built);
  if (!one.place.empty()) text += fmt::format(" in {}", one.place.string());
  text += one.launcher.empty() ? ", no launcher beside its compiler" : fmt::format(", launched by {}", one.launcher.string());
  const std::string again = fmt::format("mana add-mpi --replace --name {} {}", one.name, one.compiler.empty() ? "MPICC" : one.compiler.string());
  if (const auto names = lacking(one.lower_half); !names.empty())
    return {"live-mpi", verdict::warning, fmt::format("{}; not found: {}", text, fmt::join(names, ", ")),
            "install the MPI's libraries, or " + again};
  if (found.empty()) return {"live-mpi", verdict::warning, text + "; its lower half does not start", again};
  if (!one.mana.empty() && one.mana != MANA_VERSION)
    return {"live-mpi", verdict::warning, fmt::format("{}; it was added to mana {}", text, one.mana), again};
  if (!one.hidden.empty())
    return {"live-mpi", verdict::warning, fmt::format("{}; {} has the same name and is not taken", text, one.hidden.front().string()),
            "add that one again, with mana add-mpi --name"};
  return {"live-mpi", verdict::ok, text, ""};
}

}  // namespace

findings examine_live_mpis() {
  findings all;
  for (const live_mpi& one : installed_mpis()) all.push_back(live(one));
  if (all.empty()) all.push_back({"live-mpi", verdict::warning, "none: only programs without MPI run here", "mana add-mpi MPICC adds one"});
  return all;
}

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
  findings all{kind(program),         sanitizer(program),   mpi(wanted, program, get),
               libraries(loaded),     rights(program.file), stack(program.file)};
  for (const auto& more : {mpi_calls(imported), system_calls(imported)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace mana::tools
