// The dlopen that a program finds. An interpreter may load its MPI by a path (Julia, ctypes) or by its name for linking
// (libmpi.so), and take the functions from the handle. The dynamic linker knows this library by its soname alone, and would load
// the MPI itself beside it: that one would run in the upper half, where nothing saves it.
//
// INV-132 a program that loads the MPI of its wrapper library gets the wrapper library, by whichever name. Another MPI is refused.
#include <runtime/words/mpi_families.hpp>

#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace mana::wrappers {
namespace {

using dlopen_function = void*(const char*, int) noexcept;      // else the call of it is no tail call

std::string_view file_name(std::string_view path) noexcept { return path.substr(path.rfind('/') + 1); }

/// The path of this library, as the dynamic linker knows it: also where a restart found no such file.
const char* own_path() noexcept {
  static const char here = 0;
  Dl_info found{};
  return dladdr(&here, &found) != 0 ? found.dli_fname : nullptr;
}

/// The family whose C library a program wants to load; nullptr: it is another file. A name for linking without a directory is that of
/// `own`, whatever file it leads to, since a program has one MPI only.
const mpi_family* family_to_load(const mpi_family& own, const char* file) noexcept {
  const std::string_view name = file_name(file);
  if (const mpi_family* const family = family_of_file(name)) return family;
  if (name.size() == std::string_view(file).size()) return is_for_linking(name, own) ? &own : nullptr;
  char target[PATH_MAX];
  return realpath(file, target) != nullptr ? family_of_file(file_name(target)) : nullptr;
}

/// out: the file to load in place of `file`. In place of another MPI it is a text that names no file: dlerror gives it to the program.
[[gnu::noinline]] const char* loaded_instead(const char* file) noexcept {
  if (file == nullptr || *file == '\0') return file;
  const char* const path = own_path();
  const mpi_family* const own = path != nullptr ? family_of_wrappers(path) : nullptr;
  const mpi_family* const wanted = own != nullptr ? family_to_load(*own, file) : nullptr;
  if (wanted == nullptr) return file;
  if (wanted == own) return path;
  static thread_local char refusal[256];
  std::snprintf(refusal, sizeof refusal, "a library of %s: mana runs this program as one of %s (mana run --abi %s)", wanted->long_name,
                own->long_name, wanted->name);
  return refusal;
}

[[gnu::noinline]] dlopen_function* libc_s() noexcept {
  return reinterpret_cast<dlopen_function*>(dlsym(RTLD_NEXT, "dlopen"));
}

}  // namespace
}  // namespace mana::wrappers

#if defined(__clang__)
#define MANA_TAIL_CALL [[clang::musttail]]
#define MANA_OPTIMIZED
#else
#define MANA_TAIL_CALL
#define MANA_OPTIMIZED [[gnu::optimize("O2")]]
#endif

/// A tail call: libc looks at the caller's place for the directories that the caller's file names (RUNPATH). Libc's declaration is
/// noexcept, and clang makes no tail call of such a function.
extern "C" [[gnu::visibility("default")]] void* mana_dlopen(const char* file, int mode) __asm__("dlopen");
extern "C" MANA_OPTIMIZED void* mana_dlopen(const char* file, int mode) {
  MANA_TAIL_CALL return mana::wrappers::libc_s()(mana::wrappers::loaded_instead(file), mode);
}
