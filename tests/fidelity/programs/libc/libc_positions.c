// Places in texts that libc keeps: strtok, strtok_r, strsep, getopt in the middle of its arguments, multibyte state,
// strsignal.
#include "fidelity.h"

#include <getopt.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char first[] = "alpha,beta,,gamma", second[] = "1 2 3 4", third[] = "a::b:c", *place = NULL, *rest = third;
  char *words[] = {"program", "-a", "-bvalue", "-cd", "name", "-e", NULL};
  CHECK(!strcmp(strtok(first, ","), "alpha") && !strcmp(strtok_r(second, " ", &place), "1") &&
        !strcmp(strsep(&rest, ":"), "a"));
  optind = 1;
  CHECK(getopt(6, words, "ab:cde") == 'a');
  line();
  CHECK(!strcmp(strtok(NULL, ","), "beta") && !strcmp(strtok_r(NULL, " ", &place), "2") &&
        !strcmp(strsep(&rest, ":"), ""));
  CHECK(getopt(6, words, "ab:cde") == 'b' && !strcmp(optarg, "value"));
  CHECK(getopt(6, words, "ab:cde") == 'c');                              // in the middle of a word
  const char* const unknown = strerror(12345);
  line();
  CHECK(!strcmp(strtok(NULL, ","), "gamma") && strtok(NULL, ",") == NULL);
  CHECK(!strcmp(strtok_r(NULL, " ", &place), "3") && !strcmp(strsep(&rest, ":"), "b") && !strcmp(rest, "c"));
  CHECK(getopt(6, words, "ab:cde") == 'd' && getopt(6, words, "ab:cde") == 'e' && getopt(6, words, "ab:cde") == -1);
  CHECK(optind == 5 && !strcmp(words[5], "name"), "%d", optind);
  CHECK(!strcmp(unknown, "Unknown error 12345"));
  return finish();
}
