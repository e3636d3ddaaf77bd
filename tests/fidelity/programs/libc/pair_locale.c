// Locales, time zones and environments that differ between the ranks.
// ranks: 2
#include "pair.h"

#include <locale.h>
#include <time.h>
#include <wchar.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(setlocale(LC_ALL, me == 0 ? "C" : "C.UTF-8") != NULL);
  setenv("TZ", me == 0 ? "AAA-3" : "BBB+5", 1), setenv(me == 0 ? "OF_RANK_0" : "OF_RANK_1", "yes", 1);
  tzset();
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(!strcmp(setlocale(LC_CTYPE, NULL), me == 0 ? "C" : "C.UTF-8"));
    wchar_t wide = 0;
    const int length = mbtowc(&wide, "\xe2\x82\xac", 3);
    CHECK(me == 0 ? length == -1 : length == 3 && wide == 0x20ac, "%d", length);
    time_t const day = 86400;
    struct tm when;
    char zone[8];
    CHECK(localtime_r(&day, &when) && when.tm_hour == (me == 0 ? 3 : 19), "%d", when.tm_hour);
    CHECK(strftime(zone, sizeof zone, "%Z", &when) == 3 && !strcmp(zone, me == 0 ? "AAA" : "BBB"), "%s", zone);
    CHECK((getenv("OF_RANK_0") != NULL) == (me == 0) && (getenv("OF_RANK_1") != NULL) == (me == 1));
  }
  return finish();
}
