#!/bin/sh
# usage: expect_error.sh COMPILER INCLUDE_DIR GENERATED_DIR FILE
# FILE's first line is "// expect-error: EXTENDED REGEX"; its errors appear only with -DMUST_FAIL.
set -u
pattern=$(sed -n '1s|^// expect-error: ||p' "$4")
[ -n "$pattern" ] || { echo "$4: no expect-error line"; exit 1; }
"$1" -std=c++20 -fsyntax-only -I"$2" -I"$3" "$4" || { echo "$4: must compile without MUST_FAIL"; exit 1; }
if output=$("$1" -std=c++20 -fsyntax-only -DMUST_FAIL -I"$2" -I"$3" "$4" 2>&1); then
  echo "$4: compiled, but must not"; exit 1
fi
printf '%s\n' "$output" | grep -Eq "$pattern" || { printf '%s\n' "$output"; echo "$4: failed, but not by: $pattern"; exit 1; }
