/* What a program finds out about itself. */
#define _GNU_SOURCE
#include "check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void print_link(const char* path) {
  char text[4097] = "";
  CHECK(readlink(path, text, sizeof text - 1) > 0);
  printf("%s is %s\n", path, text);
  char* const real = realpath(path, NULL);
  CHECK(real != NULL && strcmp(real, text) == 0);
  free(real);
}

/* A program that executes itself again, as some do, is not to find the lower half there. */
static void execute_self(void) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "again", "--again", (char*)NULL);
    _exit(1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 61);
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--again") == 0) return 61;
  for (int i = 0; i < argc; ++i) printf("argument %d '%s'\n", i, argv[i]);
  CHECK(argv[argc] == NULL);
  printf("%s %s %s\n", program_invocation_name, program_invocation_short_name, (const char*)getauxval(AT_EXECFN));
  size_t n = 0;
  while (environ[n] != NULL) ++n;
  printf("%zu variables\n", n);
  char name[16] = "";
  CHECK(prctl(PR_GET_NAME, name) == 0);
  printf("named %s\n", name);
  print_link("/proc/self/exe");
  char own[64];
  snprintf(own, sizeof own, "/proc/%d/exe", (int)getpid());
  char text[4097] = "";
  CHECK(readlinkat(AT_FDCWD, own, text, 4096) > 0);
  printf("also %s\n", text);
  CHECK(readlink("/proc/self/exe", text, 5) == 5);
  const int fd = open("/proc/self/exe", O_RDONLY);
  char magic[4];
  CHECK(fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, ELFMAG, 4) == 0);
  struct stat opened, named;
  CHECK(fstat(fd, &opened) == 0 && stat((const char*)getauxval(AT_EXECFN), &named) == 0);
  CHECK(opened.st_ino == named.st_ino && opened.st_dev == named.st_dev);
  printf("%lu %lu %lu %lu\n", getauxval(AT_PAGESZ), getauxval(AT_PHNUM), getauxval(AT_UID), getauxval(AT_SECURE));
  CHECK(getauxval(AT_ENTRY) != 0 && getauxval(AT_RANDOM) != 0 && getauxval(AT_SYSINFO_EHDR) != 0);
  check_place((const void*)getauxval(AT_PHDR));
  check_place((const void*)getauxval(AT_SYSINFO_EHDR));
  check_place((const void*)getauxval(AT_BASE));
  execute_self();
}
