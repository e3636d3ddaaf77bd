// The locale that setlocale set, a thread's own of uselocale, and the state of a conversion of characters.
#include "fidelity.h"

#include <langinfo.h>
#include <locale.h>
#include <wchar.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL);
  const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", duplocale(LC_GLOBAL_LOCALE));
  CHECK(plain != 0);
  uselocale(plain);
  mbstate_t state = {0};
  wchar_t wide = 0;
  CHECK(mbrtowc(&wide, "\xe2\x82", 2, &state) == (size_t)-2);       // two bytes of three
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(strcmp(setlocale(LC_ALL, NULL), "C.UTF-8") == 0, "%s", setlocale(LC_ALL, NULL));
    CHECK(strcmp(nl_langinfo(CODESET), "UTF-8") == 0, "%s", nl_langinfo(CODESET));
    CHECK(uselocale(0) == plain);
    CHECK(mbrtowc(&wide, "\xac", 1, &state) == 1 && wide == 0x20ac, "%x", (unsigned)wide);
    CHECK(mbrtowc(&wide, "\xe2\x82", 2, &state) == (size_t)-2);
    char text[8];
    CHECK(snprintf(text, sizeof text, "%lc", (wint_t)0x20ac) == 3);
  }
  return finish();
}
