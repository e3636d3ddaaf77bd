// Prints docs/image-format.md from the tables of the format.
#include <mana/image/format_table.hpp>

#include <cstdio>
#include <string>

using namespace mana::image;

namespace {

constexpr char introduction[] = R"(# Format of images

Made by `mana-image-format` from include/mana/image/format_table.hpp and section_table.hpp; a test compares them.

A checkpoint is a directory `gen-NNNNNN` with a file `rank-NNNNN.mana` for each rank and a `manifest.json`, which is written
last: without it there is no checkpoint. This is the format of the ranks' files, version 2. All numbers are little endian.
A reader of version n reads n-1; golden files of both are in tests/unit/image/golden.

    file_header, zeros up to a page
    bytes of chunks: those that are not compressed begin on whole pages, what lies between is zeros
    tables:  sections   section_header and bytes of each
             regions    region_record and path of each
             sources    source_record and name of each
             chunks     chunk_records
    trailer

The chunk records are the image: each says where a piece of the program's memory is, in this file or in that of a source.
Pages of a region that no record gives read as zeros. A record may give a part of a chunk: after it was unpacked and its
checksum compared, `skipped_bytes` are left out, and `memory_bytes` taken. All that a restart reads is covered by a checksum:
the header's and the trailer's own, the tables' in the trailer, each chunk's in its record. The manifest has the trailer's, and
so all.

What is stored as it is lies on whole pages of the file, so that it can be mapped in place (`mana restart --lazy`).

A reader checks before it maps anything: sizes and counts against the file's length, addresses (whole pages, within the
program's window or its fixed segments, ascending, none overlapping another), names (no path in a source's), and that all
reserved bytes are 0.
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
    case section_need::optional: return "goes on without";
  }
  return "";
}

const char* words_of(saved_when when) {
  switch (when) {
    case saved_when::when_stopped: return "when the ranks stand";
    case saved_when::with_memory: return "with the memory";
    case saved_when::by_saver: return "by what writes images";
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
    case restored_when::never: return "for people alone";
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
  std::fputs("\n## Sections\n\nA section that is not in this list is refused by its name, never left out.\n\n"
             "| name | since | a restart | encoding | holds | written | read | code of both |\n|---|---|---|---|---|---|---|---|\n",
             stdout);
  for (const section_row& s : section_table) print(s);
  return 0;
}
