/* A tool in C that says where a checkpoint stands: a hook at each of its moments. It is a library without MPI; the program
   is not changed, only linked with it, or it is preloaded:

     LD_PRELOAD=libsay_phases.so mana run ./app        (with mpirun before env or with its own option for environments)

   Without MANA it does nothing. */
#include <mana/api.h>

#include <string.h>
#include <unistd.h>

static const char* const names[] = {"a checkpoint was asked for", "all threads stand still", "before the image",
                                    "after the image", "the program goes on", "the program goes on in a new process"};

/* A hook may interrupt the program anywhere: no stdio, no malloc. */
static char* add_text(char* at, const char* text) {
  const size_t n = strlen(text);
  memcpy(at, text, n);
  return at + n;
}
static char* add_number(char* at, long value) {
  char digits[24];
  int n = 0;
  do digits[n++] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  while (n > 0) *at++ = digits[--n];
  return at;
}

static void say(enum mana_event event, const struct mana_hook_info* info, void* extra) {
  char line[200], *at = line;
  (void)extra;
  at = add_text(at, "hook: rank ");
  at = add_number(at, info->rank);
  at = add_text(at, ", restarts ");
  at = add_number(at, info->restarts);
  at = add_text(at, ": ");
  at = add_text(at, names[event]);
  if (event == MANA_AFTER_WRITE || event == MANA_RESUMED)
    at = add_text(at, info->durable ? ", the checkpoint is durable" : ", there is no checkpoint");
  at = add_text(at, "\n");
  if (write(STDERR_FILENO, line, (size_t)(at - line)) < 0) return;
}

__attribute__((constructor)) static void begin(void) {
  for (int event = MANA_REQUESTED; event <= MANA_RESTARTED; ++event) mana_hook_add((enum mana_event)event, say, NULL);
}
