// A directory of the program's own, in the current one: make_place() before the first name in("it"), leave_place() at
// the end.
#pragma once
#include "fidelity.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

static char place[PATH_MAX];

static inline void make_place(void) {
  char name[] = "place-XXXXXX";
  if (mkdtemp(name) == NULL || realpath(name, place) == NULL) CHECK(!"a directory can be made");
}

/// The name of a file in it, which holds for three more calls.
static inline const char* in(const char* name) {
  static char names[4][PATH_MAX + NAME_MAX];
  static int next;
  char* const whole = names[next++ % 4];
  snprintf(whole, sizeof names[0], "%s/%s", place, name);
  return whole;
}

static inline int remove_one(const char* name, const struct stat* s, int kind, struct FTW* where) {
  (void)s, (void)kind, (void)where;
  return remove(name);
}
static inline void leave_place(void) { OK(nftw(place, remove_one, 16, FTW_DEPTH | FTW_PHYS)); }

/// A new file with this text in it.
static inline void make_file(const char* name, const char* text) {
  const int fd = open(in(name), O_WRONLY | O_CREAT | O_EXCL, 0644);
  CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
}

/// What the descriptor reads next is this text.
static inline int reads(int fd, const char* text) {
  char found[4096] = {0};
  const size_t length = strlen(text);
  return read(fd, found, length) == (ssize_t)length && memcmp(found, text, length) == 0;
}

/// The file of this name holds this text and no more.
static inline int holds(const char* name, const char* text) {
  const int fd = open(in(name), O_RDONLY);
  char more;
  const int as_said = fd >= 0 && reads(fd, text) && read(fd, &more, 1) == 0;
  close(fd);
  return as_said;
}

/// All of it is written.
static inline int writes(int fd, const char* text) { return write(fd, text, strlen(text)) == (ssize_t)strlen(text); }

/// What a link of /proc/self names: " (deleted)" is a part of it.
static inline const char* what_link_names(const char* link) {
  static char name[PATH_MAX];
  char full[64];
  snprintf(full, sizeof full, "/proc/self/%s", link);
  const ssize_t length = readlink(full, name, sizeof name - 1);
  name[length < 0 ? 0 : length] = 0;
  return name;
}

static inline const char* last_part_of_link(const char* link) {
  const char* const whole = what_link_names(link);
  const char* const slash = strrchr(whole, '/');
  return slash ? slash + 1 : whole;
}

static inline const char* path_of_descriptor(int fd) {
  char link[32];
  snprintf(link, sizeof link, "fd/%d", fd);
  return what_link_names(link);
}

static inline const char* last_part_of_descriptor(int fd) {
  const char* const whole = path_of_descriptor(fd);
  const char* const slash = strrchr(whole, '/');
  return slash ? slash + 1 : whole;
}
