// Functions of the upper half that the lower half calls, because only the program's own libc and dynamic linker can do
// this work. The table lies in the wrapper library, and so in images; bridge::functions has its address.
#pragma once

struct dl_find_object;

namespace mana::lower {

struct program_needs;

/// Append new functions at the end.
struct upper_functions {
  unsigned long bytes;                                        // of the table: functions beyond it do not exist
  int (*find_object)(void* address, dl_find_object* result);  // _dl_find_object; usable under either thread pointer
  int (*find_symbol)(const void* address, void* dl_info);     // dladdr
  void (*exit)(int status);
  void (*flush)(int all);  // fflush of standard output, or of all streams
  const program_needs* needs;  // valid when the rank has drained; since minor 1
};

}  // namespace mana::lower
