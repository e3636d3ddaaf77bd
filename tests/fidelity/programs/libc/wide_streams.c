// Streams of wide characters, one with a character put back, in the middle of a line; orientation stays.
#include "place.h"

#include <locale.h>
#include <wchar.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  setlocale(LC_ALL, "C.UTF-8");
  make_place();
  make_file("f", "caf\xc3\xa9 \xe2\x82\xac 10\nna\xc3\xafve\nthird");
  FILE *const from = fopen(in("f"), "r"), *const to = fopen(in("to"), "w");
  wchar_t word[32];
  CHECK(fwscanf(from, L"%31ls", word) == 1 && !wcscmp(word, L"caf\u00e9"));
  CHECK(fgetwc(from) == L' ' && ungetwc(L'\u00df', from) == L'\u00df');
  fwprintf(to, L"one \u20ac, ");
  line();
  CHECK(fwide(from, 0) > 0 && fwide(to, 0) > 0);
  CHECK(fgetwc(from) == L'\u00df' && fgetwc(from) == L'\u20ac');
  fwprintf(to, L"two %ls, ", L"\u00e9");
  wchar_t* memory = NULL;
  size_t length = 0;
  FILE* const stream = open_wmemstream(&memory, &length);
  fputws(L"kept \u00e9", stream);
  line();
  fputws(L" and more", stream), fclose(stream);
  CHECK(length == 15 && !wcscmp(memory, L"kept \u00e9 and more"), "%zu", length);
  CHECK(fgetws(word, 32, from) != NULL && !wcscmp(word, L" 10\n"));
  CHECK(fgetws(word, 32, from) != NULL && !wcscmp(word, L"na\u00efve\n"));
  fputwc(L'.', to), fclose(to), fclose(from), free(memory);
  CHECK(holds("to", "one \xe2\x82\xac, two \xc3\xa9, ."));
  leave_place();
  return finish();
}
