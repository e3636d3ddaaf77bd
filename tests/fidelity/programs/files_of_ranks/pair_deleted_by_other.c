// Files that rank 1 has open, and rank 0 deletes, renames and shortens.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  if (me == 0) make_file("deleted", "what was there"), make_file("renamed", "one two three"),
      make_file("short", "abcdefgh");
  together();
  int deleted = -1, renamed = -1, shortened = -1;
  if (me == 1) {
    OK(deleted = open(in("deleted"), O_RDWR)), OK(renamed = open(in("renamed"), O_RDONLY)),
        OK(shortened = open(in("short"), O_RDONLY));
    CHECK(reads(deleted, "what ") && reads(renamed, "one ") && reads(shortened, "abcdef"));
  }
  together();
  if (me == 0) OK(unlink(in("deleted"))), OK(rename(in("renamed"), in("other"))), OK(truncate(in("short"), 3));
  together();
  line();
  char none;
  if (me == 1) CHECK(reads(deleted, "was ") && reads(renamed, "two "));
  if (me == 1) CHECK(read(shortened, &none, 1) == 0);
  together();
  if (me == 0) CHECK(access(in("deleted"), F_OK) == -1), OK(truncate(in("short"), 8));
  together();
  line();
  if (me == 1) {
    CHECK(reads(deleted, "there") && reads(renamed, "three"));
    CHECK(read(shortened, &none, 1) == 1 && none == 0 && lseek(shortened, 0, SEEK_CUR) == 7);
    close(deleted), close(renamed), close(shortened);
  }
  leave_common_place();
  return finish();
}
