// Threads that compute in vector registers without a pause, as wide as there are, and check each sum, while lines are
// met.
#include "fidelity.h"

#include <immintrin.h>
#include <pthread.h>

enum { length = 4096 };
static double numbers[length] __attribute__((aligned(64)));
static double expected;
static int stop, bad, rounds[3];

__attribute__((target("avx2,fma"))) static double by_avx(void) {
  __m256d sums[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
  for (int i = 0; i < length; i += 16)
    for (int k = 0; k < 4; ++k) sums[k] = _mm256_fmadd_pd(_mm256_load_pd(numbers + i + 4 * k), _mm256_set1_pd(2),
                                                          sums[k]);
  const __m256d sum = _mm256_add_pd(_mm256_add_pd(sums[0], sums[1]), _mm256_add_pd(sums[2], sums[3]));
  double parts[4];
  _mm256_storeu_pd(parts, sum);
  return parts[0] + parts[1] + parts[2] + parts[3];
}
__attribute__((target("avx512f"))) static double by_avx512(void) {
  __m512d sum = _mm512_setzero_pd();
  const __mmask8 even = 0x55;
  for (int i = 0; i < length; i += 8) {
    const __m512d some = _mm512_load_pd(numbers + i);
    sum = _mm512_add_pd(sum, some), sum = _mm512_mask_add_pd(sum, even, sum, some);
    sum = _mm512_mask_add_pd(sum, (__mmask8)~even, sum, some);
  }
  return _mm512_reduce_add_pd(sum);
}
static double by_x87(void) {
  long double sum = 0;
  for (int i = 0; i < length; ++i) sum += 2 * (long double)numbers[i];
  return (double)sum;
}
static void* body(void* how) {
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
    double sum = expected;
    if ((long)how == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sum = by_avx();
    if ((long)how == 1 && __builtin_cpu_supports("avx512f")) sum = by_avx512();
    if ((long)how == 2) sum = by_x87();
    if (sum != expected) __atomic_fetch_add(&bad, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&rounds[(long)how], 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}
static void go_on(void) {
  for (int i = 0; i < 3; ++i)
    for (const int before = __atomic_load_n(&rounds[i], __ATOMIC_SEQ_CST);
         __atomic_load_n(&rounds[i], __ATOMIC_SEQ_CST) < before + 20;)
      usleep(500);
}

int main(int argc, char** argv) {
  for (int i = 0; i < length; ++i) numbers[i] = i % 97, expected += 2 * numbers[i];
  begin(&argc, &argv);
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
  go_on(), line(), go_on(), line(), go_on();
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  CHECK(bad == 0, "%d", bad);
  return finish();
}
