// Numbers wider than the processor's: 128 bits whole and floating, complex and long double, carried through lines by
// threads.
// flags: -lm
#include "fidelity.h"

#include <complex.h>
#include <math.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static void* body(void* index) {
  const int self = (int)(long)index;
  __float128 quad = (__float128)1 / 3 + self;
  unsigned __int128 whole = ((unsigned __int128)self << 100) + 7;
  long double extended = 1.0L / 3 + self;
  double complex turning = cexp(I * (self + 1));
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier), pthread_barrier_wait(&barrier);
    CHECK(quad - self - (__float128)1 / 3 < 1e-30Q && quad - self - (__float128)1 / 3 > -1e-30Q);
    whole *= 3, quad += 0;
    CHECK((unsigned long)(whole >> 100) == (unsigned long)self * (round ? 9 : 3), "%lu", (unsigned long)(whole >> 100));
    CHECK(extended == 1.0L / 3 + self && fabs(cabs(turning) - 1) < 1e-12, "%Lf", extended);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t threads[3];
  pthread_barrier_init(&barrier, NULL, 4);
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, body, (void*)(i + 1));
  for (int round = 0; round < 2; ++round) pthread_barrier_wait(&barrier), line(), pthread_barrier_wait(&barrier);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return finish();
}
