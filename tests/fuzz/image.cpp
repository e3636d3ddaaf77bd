// A rank's image from any bytes: read, taken apart, and verified, as they are and with checksums that fit.
#include "byte_file.hpp"
#include "sealing.hpp"

#include <runtime/image/format/contents.hpp>
#include <runtime/image/read/chunk_reader.hpp>
#include <runtime/image/read/file_runs.hpp>
#include <runtime/image/read/rank_image.hpp>

#include <algorithm>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace mana;

/// An image may name files of other directories: those are not the fuzzer's to open.
bool stays_here(const image::contents& c) { return c.sources.empty(); }

void read_image(byte_file& file, const sealing::bytes& bytes) {
  file.hold(bytes);
  try {
    const image::contents c = image::read_contents(file.descriptor(), "image");
    if (image::read_identity(file.descriptor(), "image") != c.identity) __builtin_trap();
    image::file_runs(c, [](const image::region&) { return true; });
    if (!stays_here(c)) return;
    image::chunk_reader in(c, file.descriptor(), "image");
    std::vector<char> memory(image::chunk_bytes);
    for (const image::chunk_record& r : c.chunks) in.read(r, memory.data());
    in.check_gaps();
  } catch (const files::image_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static byte_file file;
  sealing::bytes bytes(data, data + size);
  read_image(file, bytes);
  sealing::seal(bytes);
  read_image(file, bytes);
  return 0;
}

/// Most changes go to the header, the tables and the trailer: the rest is memory, any bytes of which are as good.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  constexpr std::size_t header = sizeof(image::file_header), end = sizeof(image::trailer);
  if (size < header + end || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  image::trailer t{};
  std::memcpy(&t, data + size - end, end);
  const std::size_t tables = t.tables_offset >= header && t.tables_offset < size - end ? t.tables_offset : header;
  switch (random() % 4) {
    case 0: LLVMFuzzerMutate(data, header, header); break;
    case 1: LLVMFuzzerMutate(data + size - end, end, end); break;
    default: {
      const std::size_t at = tables + random() % (size - end - tables + 1);
      const std::size_t n = std::min<std::size_t>(size - end - at, 1 + random() % 128);
      if (n != 0) LLVMFuzzerMutate(data + at, n, n);
    }
  }
  return size;
}
