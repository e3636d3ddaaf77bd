// A program that is linked with no MPI, as interpreters are: it loads the MPI by the given name and for all, then a program that is
// built as a library and needs the MPI's names, and runs it. INV-132: the MPI's functions are those that the program finds without
// a handle.
//   program MPI LIBRARY WORDS…
#include <dlfcn.h>
#include <stdio.h>

static void* loaded(const char* file, int mode) {
  void* const library = dlopen(file, mode);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  return library;
}

int main(int count, char** words) {
  if (count < 3) return fprintf(stderr, "program MPI LIBRARY WORDS…\n"), 2;
  void* const mpi = loaded(words[1], RTLD_NOW | RTLD_GLOBAL);
  void* const library = mpi != NULL ? loaded(words[2], RTLD_NOW) : NULL;
  if (library == NULL) return 2;
  const char* const names[] = {"MPI_Init", "MPI_Allreduce", "PMPI_Send"};
  for (int i = 0; i < 3; ++i)
    if (dlsym(mpi, names[i]) != dlsym(RTLD_DEFAULT, names[i])) printf("%s does not hold: there are two of it\n", names[i]);
  int (*const run)(int, char**) = (int (*)(int, char**))dlsym(library, "program");
  if (run == NULL) return 2;
  words[2] = words[0];
  return run(count - 2, words + 2);
}
