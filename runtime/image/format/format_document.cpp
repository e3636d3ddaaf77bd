// Prints docs/image-format.md from the tables of the format.
#include <mana/image/format_table.hpp>

#include <cstdio>
#include <string>

using namespace mana::image;

namespace {

constexpr char introduction[] = R"(# Format of images

`mana-image-format` prints this page from include/mana/image/format_table.hpp and section_table.hpp. A test compares them.

A checkpoint is a directory `gen-NNNNNN` with a file `rank-NNNNN.mana` for each rank and a `manifest.json`. mana writes the
manifest last: without it the checkpoint does not exist. This page describes version 2 of the ranks' files. All numbers are
little endian. A reader of version n also reads version n-1. Golden files of both are in tests/unit/image/golden.

    file_header, zeros up to a page
    bytes of chunks: uncompressed ones begin on whole pages, with zeros between them
    tables:  sections   section_header and bytes of each
             regions    region_record and path of each
             sources    source_record and name of each
             chunks     chunk_records
    trailer

The chunk records are the image. Each says where the bytes of a piece of the program's memory are: in this file or in a
source's file. Pages of a region without a record read as zeros. A record may give a part of a chunk. A reader unpacks the
chunk, compares its checksum, leaves out `skipped_bytes`, and takes `memory_bytes`.

Checksums cover everything that a restart reads. Header and trailer have their own, the trailer has the tables', and each
record has its chunk's. The manifest has the trailer's, and so covers everything.

Uncompressed chunks lie on whole pages of the file, so that a restart can map them in place (`mana restart --lazy`).

A reader checks all this before it maps anything:

- sizes and counts fit the file's length
- addresses are whole pages within the program's window or its fixed segments, ascend, and do not overlap
- a source's name has no path
- all reserved bytes are 0
)";

void print(const record_row& record) {
  std::printf("\n### %s\n\n%zu bytes: %s.\n\n| offset | bytes | member | meaning |\n|--:|--:|---|---|\n",
              std::string(record.name).c_str(), record.bytes, std::string(record.meaning).c_str());
  for (const field_row& f : record.fields)
    std::printf("| %zu | %zu | %s | %s |\n", f.offset, f.bytes, std::string(f.name).c_str(),
                std::string(f.meaning).c_str());
}

const char* words_of(section_need need) {
  switch (need) {
    case section_need::always: return "needs it";
    case section_need::optional: return "continues without it";
  }
  return "";
}

const char* words_of(saved_when when) {
  switch (when) {
    case saved_when::when_stopped: return "when the ranks have stopped";
    case saved_when::with_memory: return "with the memory";
    case saved_when::by_saver: return "by the writer of images";
  }
  return "";
}

const char* words_of(restored_when when) {
  switch (when) {
    case restored_when::opened: return "when the image is opened";
    case restored_when::descriptors: return "when files are opened";
    case restored_when::memory: return "before memory is filled";
    case restored_when::registers: return "after memory is filled";
    case restored_when::later: return "for later checkpoints";
    case restored_when::never: return "only for people";
  }
  return "";
}

void print(const section_row& s) {
  const auto text = [](std::string_view words) { return std::string(words); };
  std::printf("| %s | %u.%u | %s | %s | %s | %s | %s | %s |\n", text(s.name).c_str(), mana::lower::layout_major, s.since,
              words_of(s.need), text(s.encoding).c_str(), text(s.meaning).c_str(), words_of(s.saved), words_of(s.restored),
              text(s.code).c_str());
}

}  // namespace

int main() {
  std::fputs(introduction, stdout);
  std::fputs("\n## Records\n", stdout);
  for (const record_row& record : record_table) print(record);
  std::fputs("\n## Sections\n\nA restart refuses a section that is missing in this list, and names it.\n\n"
             "| name | since | a restart | encoding | holds | written | read | code of both |\n|---|---|---|---|---|---|---|---|\n",
             stdout);
  for (const section_row& s : section_table) print(s);
  return 0;
}
