// The only table of the sections of an image, in their order in an image. A checkpoint and a restart use its rows
// (runtime/job/sections/sections.hpp), and docs/image-format.md prints them. A restart refuses a section that has no
// row.
//
// INV-94 each section of an image has one row in one table, and one file of the code that both writes it and reads it.
#pragma once
#include <mana/lower/version.hpp>

#include <cstdint>
#include <string_view>

// ROW(name, since, needed, saved, restored, encoding, holds, code)
//   name      of the section, at most 23 bytes
//   since     the first minor of layout_major (lower/version.hpp) whose images have it
//   needed    always: a restart refuses an image without it; optional: a restart continues without it
//   saved     when_stopped: the job writes it when the ranks have stopped; with_memory: written with the memory;
//             by_saver: written by the code that writes images
//   restored  opened: when the image is open; descriptors: when files are opened; memory: before memory is filled;
//             registers: after that; later: for later checkpoints; never: for people
//   encoding, holds  for the page
//   code      the file with both directions: save_NAME, restore_NAME if the job calls them by this table
#define MANA_IMAGE_SECTIONS(ROW) \
  ROW(locks, 0, optional, with_memory, memory, \
      "records of 16 bytes: address 8, kind 4 (0 mutex, 1 with priority inheritance, 2 read-write), owner 4", \
      "locks of libc that threads hold, and the ids of their owners", "runtime/job/sections/locks.cpp") \
  ROW(run, 0, always, when_stopped, opened, \
      "text MANARUN2; numbers of 4 bytes, little endian; texts with their length before them", \
      "MPI library, program and build id, arguments, directory, thread level", "runtime/job/sections/run.cpp") \
  ROW(threads, 0, optional, when_stopped, memory, \
      "4 bytes for each thread, little endian", \
      "the threads' ids", "runtime/job/sections/threads.cpp") \
  ROW(descriptors, 0, always, when_stopped, descriptors, \
      "CBOR", \
      "open descriptors and what they refer to; shared memory without a name", "runtime/job/sections/descriptors.cpp") \
  ROW(process, 0, optional, when_stopped, opened, \
      "CBOR", \
      "the kernel's data of the process and its threads", "runtime/job/sections/process.cpp") \
  ROW(registers, 0, optional, when_stopped, registers, \
      "text of 8 bytes; mask of states 8; of each state, offset 4 and length 4", \
      "layout of the saved XSAVE areas", "runtime/job/sections/registers.cpp") \
  ROW(mpi, 0, optional, when_stopped, never, \
      "CBOR: names and numbers", \
      "the number of the program's MPI objects and drained messages, for people", "runtime/job/sections/mpi.cpp") \
  ROW(needs, 1, optional, when_stopped, opened, \
      "CBOR: a map: told tag bound, largest tag, large counts, predefined: a list of maps: code, name, bytes, under way", \
      "needs of a live MPI: the MPI_TAG_UB that the program has read; of operations under way the largest tag; large counts; predefined datatypes and operations in use", \
      "runtime/job/sections/needs.cpp") \
  ROW(files, 0, optional, by_saver, later, \
      "records, little endian: begin 8, end 8, offset 8, length of the text 4, path; if the build id is known, a zero byte and the id in hex", \
      "memory that came from the program's files; later checkpoints compare it with them", \
      "runtime/image/origins/program_files.cpp") \
  ROW(saving, 0, optional, by_saver, never, \
      "text", \
      "how the image was written, for people: plain or forked, compression, since which checkpoint", "runtime/image/format/saving_section.cpp")

namespace mana::image {

enum class section_need { always, optional };
enum class saved_when { when_stopped, with_memory, by_saver };
enum class restored_when { opened, descriptors, memory, registers, later, never };

struct section_row {
  std::string_view name;
  std::uint32_t since;
  section_need need;
  saved_when saved;
  restored_when restored;
  std::string_view encoding, meaning, code;
};

namespace sections {
#define MANA_ROW(name, ...) inline constexpr char name[] = #name;
MANA_IMAGE_SECTIONS(MANA_ROW)
#undef MANA_ROW
}  // namespace sections

#define MANA_ROW(name, since, needed, saved_at, restored_at, encoding, holds, code) \
  {sections::name, since, section_need::needed, saved_when::saved_at, restored_when::restored_at, encoding, holds, code},
inline constexpr section_row section_table[] = {MANA_IMAGE_SECTIONS(MANA_ROW)};
#undef MANA_ROW

constexpr bool is_known_section(std::string_view name) noexcept {
  for (const section_row& row : section_table)
    if (row.name == name) return true;
  return false;
}

consteval bool rows_can_be_written() {
  constexpr std::size_t longest_name = 23;
  for (const section_row& row : section_table)
    if (row.name.size() > longest_name || row.since > lower::services_minor) return false;
  return true;
}
static_assert(rows_can_be_written());

}  // namespace mana::image
