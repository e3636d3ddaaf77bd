// MPI's functions and others found at run time: dlopen(NULL), dlsym by default and next, and libraries of the system.
// ranks: 2
#include "pair.h"

#include <dlfcn.h>

typedef int allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

static void reduce(allreduce* function, const char* how) {
  int one = me + 1, sum = 0;
  CHECK(function != NULL, "%s", how);
  if (function != NULL) CHECK(function(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && sum == 3,
                              "%s: %d", how, sum);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  void *const self = dlopen(NULL, RTLD_NOW), *const math = dlopen("libm.so.6", RTLD_NOW);
  CHECK(self != NULL && math != NULL);
  allreduce *const of_self = (allreduce*)dlsym(self, "MPI_Allreduce"),
            *const by_default = (allreduce*)dlsym(RTLD_DEFAULT, "MPI_Allreduce"),
            *const next = (allreduce*)dlsym(RTLD_NEXT, "MPI_Allreduce"),
            *const profiling = (allreduce*)dlsym(self, "PMPI_Allreduce");
  double (*cosine)(double) = (double (*)(double))dlsym(math, "cos");
  for (int round = 0; round < 3; ++round) {
    reduce(of_self, "of the program"), reduce(by_default, "default"), reduce(next, "next"), reduce(profiling, "PMPI");
    reduce((allreduce*)dlsym(self, "MPI_Allreduce"), "found now");
    CHECK((allreduce*)dlsym(self, "MPI_Allreduce") == of_self && cosine(0) == 1);
    void* const more = dlopen(round == 1 ? "libpthread.so.0" : "libresolv.so.2", RTLD_LAZY);
    CHECK(more != NULL, "%s", dlerror());
    Dl_info info;
    CHECK(dladdr((void*)cosine, &info) != 0 && strstr(info.dli_fname, "libm") != NULL);
    if (more != NULL) dlclose(more);
    if (round < 2) line();
  }
  dlclose(math), dlclose(self);
  return finish();
}
