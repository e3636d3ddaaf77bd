// Tables and patterns that libc made: regular expressions, a hash table, a binary tree, an obstack of text.
#include "fidelity.h"

#include <obstack.h>
#include <regex.h>
#include <search.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static int compare(const void* a, const void* b) { return strcmp(a, b); }
static int nodes;
static void visit(const void* node, VISIT which, int depth) {
  (void)depth;
  if (which == postorder || which == leaf) nodes += (int)strlen(*(const char* const*)node);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  regex_t pattern;
  regmatch_t found[3];
  CHECK(regcomp(&pattern, "^([a-z]+)-([0-9]{2,})$", REG_EXTENDED) == 0);
  static char keys[300][16];
  struct obstack text;
  void* tree = NULL;
  hcreate(500), obstack_init(&text);
  for (int i = 0; i < 300; ++i) {
    snprintf(keys[i], sizeof keys[i], "key-%03d", i * 7 % 300);
    hsearch((ENTRY){keys[i], (void*)(intptr_t)i}, ENTER), tsearch(keys[i], &tree, compare);
  }
  obstack_grow(&text, "one ", 4);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(regexec(&pattern, "abc-123", 3, found, 0) == 0 && found[2].rm_so == 4 && found[2].rm_eo == 7);
    CHECK(regexec(&pattern, "abc-1", 3, found, 0) == REG_NOMATCH);
    for (int i = 0; i < 300; ++i) {
      const ENTRY* const entry = hsearch((ENTRY){keys[i], NULL}, FIND);
      CHECK(entry != NULL && entry->data == (void*)(intptr_t)i, "%s", keys[i]);
      CHECK(tfind(keys[i], &tree, compare) != NULL);
    }
    nodes = 0, twalk(tree, visit);
    CHECK(nodes == 300 * 7, "%d", nodes);
    obstack_grow(&text, "more ", 5);
  }
  obstack_1grow(&text, 0);
  const char* const whole = obstack_finish(&text);
  CHECK(!strcmp(whole, "one more more "), "%s", whole);
  obstack_free(&text, NULL), regfree(&pattern), hdestroy();
  return finish();
}
