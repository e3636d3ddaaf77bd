// Libraries with thread-local variables that are opened after MPI_Init and after each line, used by threads old and
// new.
#include "fidelity.h"

#include <dlfcn.h>
#include <pthread.h>

static const char* const names[3] = {"libgomp.so.1", "libquadmath.so.0", "libresolv.so.2"};
static void* libraries[3];
static int opened, checked, stop;

static void use(int which) {
  if (which == 0) {
    void (*set)(int) = (void (*)(int))dlsym(libraries[0], "omp_set_num_threads");        // kept for each thread
    int (*get)(void) = (int (*)(void))dlsym(libraries[0], "omp_get_max_threads");
    set(3), CHECK(get() == 3, "%d", get());
  } else if (which == 1) {
    int (*print)(char*, size_t, const char*, ...) = (int (*)(char*, size_t, const char*, ...))dlsym(libraries[1],
        "quadmath_snprintf");
    char text[32];
    CHECK(print(text, sizeof text, "%.3Qf", (__float128)1.5) == 5 && !strcmp(text, "1.500"));
  } else {
    int* (*of_thread)(void) = (int* (*)(void))dlsym(RTLD_DEFAULT, "__h_errno_location");
    *of_thread() = 77, CHECK(*of_thread() == 77);
  }
}
static void* body(void* extra) {
  for (int done = 0; done < 3;) {
    if (__atomic_load_n(&opened, __ATOMIC_SEQ_CST) > done) use(done++),
        __atomic_fetch_add(&checked, 1, __ATOMIC_SEQ_CST);
    else usleep(500);
  }
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) usleep(500);
  for (int i = 0; i < 3; ++i) use(i);
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t old[2], fresh;
  for (int i = 0; i < 2; ++i) pthread_create(&old[i], NULL, body, NULL);
  for (int which = 0; which < 3; ++which) {
    CHECK((libraries[which] = dlopen(names[which], RTLD_NOW | RTLD_GLOBAL)) != NULL, "%s", dlerror());
    __atomic_store_n(&opened, which + 1, __ATOMIC_SEQ_CST);
    CHECK(comes_to(&checked, 2 * (which + 1)));
    for (int i = 0; i <= which; ++i) use(i);
    if (which < 2) line();
  }
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  pthread_create(&fresh, NULL, body, NULL), pthread_join(fresh, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(old[i], NULL);
  return finish();
}
