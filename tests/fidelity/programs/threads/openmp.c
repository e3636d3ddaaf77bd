// OpenMP: a region before the lines, one in which the main thread comes to them, and tasks, nested ones and locks after.
// flags: -fopenmp
#include "fidelity.h"

#include <omp.h>

static int stay[4];
static long sum_of(int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(4)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}
static long fibonacci(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}
static void all_right(omp_lock_t* lock) {
  long result = 0, counted = 0, nested = 0;
  CHECK(sum_of(10000) == 49995000);
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    result = fibonacci(12);
    for (int i = 0; i < 1000; ++i) omp_set_lock(lock), ++counted, omp_unset_lock(lock);
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      ++nested;
    }
  }
  CHECK(result == 144 && counted == 4000 && nested == 8, "%ld %ld %ld", result, counted, nested);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  omp_lock_t lock;
  omp_init_lock(&lock), omp_set_max_active_levels(2), omp_set_dynamic(0);
  all_right(&lock);
#pragma omp parallel num_threads(4)
  {
    const int self = omp_get_thread_num();
    stay[self] = 1;
#pragma omp master
    line();
#pragma omp barrier
    CHECK(omp_get_thread_num() == self && omp_get_num_threads() == 4);
    stay[self] += self;
  }
  for (int i = 0; i < 4; ++i) CHECK(stay[i] == 1 + i, "%d", stay[i]);
  all_right(&lock);
  omp_set_lock(&lock);
  line();
  CHECK(!omp_test_lock(&lock));
  omp_unset_lock(&lock);
  all_right(&lock);
  return finish();
}
