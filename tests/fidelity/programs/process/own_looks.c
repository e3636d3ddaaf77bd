// The files of /proc describe the process itself, by all their names: its auxiliary vector, arguments, environment,
// stack, vDSO and places of code. A child reads the same of its parent.
#include "fidelity.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>

extern char** environ;
static char text[1 << 20];
static unsigned long stack_began;

static size_t whole(const char* name) {
  size_t length = 0;
  const int fd = open(name, O_RDONLY);
  CHECK(fd >= 0, "%s: %s", name, strerror(errno));
  for (ssize_t n; (n = read(fd, text + length, sizeof text - 1 - length)) > 0;) length += (size_t)n;
  close(fd);
  text[length] = 0;
  return length;
}
/// The line of a list of mappings that has this name, or this address (name: NULL).     out: 0: none
static int mapping(const char* file, const char* name, unsigned long at, unsigned long* begin, unsigned long* end) {
  whole(file);
  for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
    if (sscanf(line, "%lx-%lx", begin, end) == 2 && (name != NULL ? strstr(line, name) != NULL : *begin <= at && at < *end)) return 1;
  return 0;
}
static void auxiliary(const char* file) {
  const size_t n = whole(file) / sizeof(ElfW(auxv_t));
  const ElfW(auxv_t)* const all = (const ElfW(auxv_t)*)text;
  int found = 0;
  for (size_t i = 0; i < n && all[i].a_type != AT_NULL; ++i) {
    const unsigned long type = all[i].a_type;
    const int is_place = type == AT_SYSINFO_EHDR || type == AT_PHDR || type == AT_BASE || type == AT_ENTRY || type == AT_RANDOM ||
                         type == AT_EXECFN || type == AT_PLATFORM;
    found += is_place;
    CHECK(!is_place || all[i].a_un.a_val == getauxval(type), "%s: %lu", file, type);
  }
  CHECK(found == 7, "%s: %d", file, found);
}
static void places(const char* file) {
  whole(file);
  unsigned long field[52] = {0};
  int number = 3;
  for (char* word = strtok(strrchr(text, ')') + 1, " "); word != NULL && number < 52; word = strtok(NULL, " "))
    field[number++] = strtoul(word, NULL, 10);
  CHECK(field[26] <= (unsigned long)places && (unsigned long)places < field[27], "%lx %lx", field[26], field[27]);
  CHECK(field[45] <= (unsigned long)&stack_began && field[28] == stack_began, "%lx %lx", field[28], stack_began);
}
static void arguments(const char* file, const char* first) {
  whole(file);
  CHECK(strcmp(text, first) == 0, "%s", text);
}
static void environment(const char* file) {
  const size_t n = whole(file);
  int has_path = 0, has_mana = 0;
  for (size_t at = 0; at < n; at += strlen(text + at) + 1) {
    has_path |= strncmp(text + at, "PATH=", 5) == 0;
    has_mana |= strstr(text + at, "libmana-") != NULL;
  }
  CHECK(has_path && !has_mana, "%d %d", has_path, has_mana);
}
static int find_object(struct dl_phdr_info* object, size_t size, void* wanted) {
  (void)size;
  return (unsigned long)object->dlpi_phdr == *(unsigned long*)wanted;
}
static void look(const char* first) {
  const char* const directories[] = {"/proc/self", "/proc/thread-self", "/proc/%1$d", "/proc/self/task/%1$d", "/proc/%1$d/task/%1$d"};
  unsigned long begin, end;
  for (unsigned i = 0; i < sizeof directories / sizeof *directories; ++i) {
    char directory[64], name[128];
    snprintf(directory, sizeof directory, directories[i], getpid());
    auxiliary((snprintf(name, sizeof name, "%s/auxv", directory), name));
    places((snprintf(name, sizeof name, "%s/stat", directory), name));
    arguments((snprintf(name, sizeof name, "%s/cmdline", directory), name), first);
    environment((snprintf(name, sizeof name, "%s/environ", directory), name));
    for (int list = 0; list < 2; ++list) {
      snprintf(name, sizeof name, "%s/%s", directory, list == 0 ? "maps" : "smaps");
      CHECK(mapping(name, "[vdso]", 0, &begin, &end) && begin == getauxval(AT_SYSINFO_EHDR), "%s %lx", name, begin);
      CHECK(mapping(name, "[stack]", 0, &begin, &end) && begin <= (unsigned long)&begin && (unsigned long)&begin < end, "%s",
            name);
    }
  }
  static unsigned long told[256];
  const int n = prctl(0x41555856 /* PR_GET_AUXV, Linux 6.4 */, told, sizeof told, 0, 0);
  for (int i = 0; n > 0 && i < n / (int)sizeof *told - 1 && told[i] != AT_NULL; i += 2)
    CHECK(told[i] != AT_PHDR || told[i + 1] == getauxval(AT_PHDR));
  unsigned long headers = getauxval(AT_PHDR), entry = getauxval(AT_ENTRY);
  CHECK(dl_iterate_phdr(find_object, &headers) == 1);
  CHECK(mapping("/proc/self/maps", NULL, entry, &begin, &end));
  whole("/proc/self/comm");
  CHECK(strcmp(text, "program\n") == 0, "%s", text);
}
static void ask_child(const char* first) {
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    char name[64];
    const int before = wrong;
    auxiliary((snprintf(name, sizeof name, "/proc/%d/auxv", parent), name));
    arguments((snprintf(name, sizeof name, "/proc/%d/cmdline", parent), name), first);
    arguments("/proc/self/cmdline", first);
    auxiliary("/proc/self/auxv");
    _exit(wrong - before);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "%x", (unsigned)status);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  stack_began = (unsigned long)(argv - 1);
  for (int round = 0; round < 3; ++round) {
    look(argv[0]);
    ask_child(argv[0]);
    if (round < 2) line();
  }
  return finish();
}
