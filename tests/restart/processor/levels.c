// Says what its libc may use of the processor, before and after one line (see fidelity.h).
#include "../../fidelity/fidelity.h"

#include <sys/platform/x86.h>

static void say(void) {
  char text[100];
  memset(text, 0, sizeof text);            // its code is chosen by the processor, as that of most of libc's
  snprintf(text, sizeof text, "sse4_2 %d, avx2 %d", CPU_FEATURE_ACTIVE(SSE4_2) ? 1 : 0, CPU_FEATURE_ACTIVE(AVX2) ? 1 : 0);
  puts(text);
  fflush(stdout);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  say();
  line();
  say();
  return finish();
}
