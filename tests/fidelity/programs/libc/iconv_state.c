// Conversions of character sets in the middle of a text: stateful ones, and one that stopped at half a character.
// needs: iconv -l | grep -q ISO-2022-JP/
#include "fidelity.h"

#include <iconv.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const iconv_t to = iconv_open("ISO-2022-JP", "UTF-8"), from = iconv_open("UTF-8", "ISO-2022-JP"),
      wide = iconv_open("UTF-16", "UTF-8");
  CHECK(to != (iconv_t)-1 && from != (iconv_t)-1 && wide != (iconv_t)-1, "%s", strerror(errno));
  char text[] = "\xe3\x81\x82\xe3\x81\x84\xe3\x81\x86", out[64], back[64], *at = text, *into = out;
  size_t left = 3, room = sizeof out;
  CHECK(iconv(to, &at, &left, &into, &room) == 0);                       // now in the state of two-byte characters
  char half[] = "\xe2\x82", *half_at = half, wide_out[16], *wide_into = wide_out;
  size_t half_left = 2, wide_room = sizeof wide_out;
  CHECK(iconv(wide, &half_at, &half_left, &wide_into, &wide_room) == (size_t)-1 && errno == EINVAL);
  line();
  left = 3;
  CHECK(iconv(to, &at, &left, &into, &room) == 0);
  CHECK(into - out == 7, "%ld", (long)(into - out));                     // no second escape sequence
  line();
  left = 3;
  CHECK(iconv(to, &at, &left, &into, &room) == 0 && iconv(to, NULL, NULL, &into, &room) == 0);
  char *back_from = out, *back_into = back;
  size_t back_left = (size_t)(into - out), back_room = sizeof back;
  CHECK(iconv(from, &back_from, &back_left, &back_into, &back_room) == 0);
  CHECK(back_into - back == 9 && memcmp(back, text, 9) == 0);
  iconv_close(to), iconv_close(from), iconv_close(wide);
  return finish();
}
