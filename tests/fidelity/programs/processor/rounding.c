// The floating point environment of two threads: rounding, flags that are raised, flush to zero; x87's precision and flags.
#include "fidelity.h"

#include <pthread.h>
#include <xmmintrin.h>

// MXCSR: rounding up, flush to zero, division by zero raised; rounding down, denormals are zero, underflow raised.
static const unsigned vectors[] = {0x1f80 | 0x4000 | 0x8000 | 0x04, 0x1f80 | 0x2000 | 0x0040 | 0x10};
// x87: single precision, rounding up; double, rounding down. All exceptions masked.
static const unsigned short controls[] = {0x007f & ~0x300, 0x007f | 0x200};
static pthread_barrier_t barrier;

static void set(int which) {
  const unsigned short control = (unsigned short)(controls[which] | (which ? 0x400 : 0x800));
  __asm__ volatile("fldcw %0" : : "m"(control));
  if (which == 0) __asm__ volatile("fld1\nfldz\nfdivrp\nfstp %%st" : : : "st");       // raises division by zero
  _mm_setcsr(vectors[which]);
}
static void check(int which) {
  unsigned short control, status;
  __asm__ volatile("fnstcw %0\nfnstsw %1" : "=m"(control), "=m"(status));
  CHECK(_mm_getcsr() == vectors[which], "thread %d: %x", which, _mm_getcsr());
  CHECK((control & 0xf00) == ((controls[which] & 0x300) | (which ? 0x400 : 0x800)), "thread %d: %x", which, control);
  CHECK((status & 0x04) == (which ? 0 : 0x04), "thread %d: %x", which, status);
}
static void* other(void* unused) {
  set(1);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    check(1);
  }
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, other, NULL);
  set(0);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    pthread_barrier_wait(&barrier);
    check(0);
  }
  pthread_join(thread, NULL);
  _mm_setcsr(0x1f80);
  return finish();
}
