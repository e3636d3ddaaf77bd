// Sections of an image from any bytes: what a restart and the tools read of them. The first byte chooses the section.
#include <runtime/files/read_document.hpp>
#include <runtime/image/format/contents.hpp>
#include <runtime/image/origins/program_files.hpp>
#include <runtime/job/run_record.hpp>
#include <runtime/process_state/section.hpp>
#include <runtime/split/window/lock_owners.hpp>
#include <runtime/split/window/register_area.hpp>
#include <runtime/tools/memory/descriptor_words.hpp>

#include <mana/image/section_table.hpp>

#include <cstdint>
#include <exception>
#include <span>

namespace {

using namespace mana;
using bytes = std::span<const std::uint8_t>;

/// What is accepted is written so that it is accepted again, as the same.
void read_process(bytes section) {
  const auto written = process_state::encode(process_state::decode(section));
  if (process_state::encode(process_state::decode(written)) != written) __builtin_trap();
}

void read_run(bytes section) {
  const auto written = job::encode(job::decode_run_record(section));
  if (job::encode(job::decode_run_record(written)) != written) __builtin_trap();
}

void read_descriptors(bytes section) {
  const nlohmann::json document = files::read_document(section);
  for (const auto& row : document.at("descriptors")) {
    tools::words_of(row, document.at("descriptors"));
    tools::json_of_descriptor(row);
  }
}

void read_files(bytes section) {
  image::contents image;
  image.sections.push_back({image::sections::files, {section.begin(), section.end()}});
  image::origins_of(image, "image");
}

void read_locks(bytes section) { split::decode_locks(section); }
void read_registers(bytes section) { split::decode_register_layout(section); }

constexpr void (*readers[])(bytes) = {read_process, read_run, read_descriptors, read_files, read_locks, read_registers};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    readers[data[0] % std::size(readers)]({data + 1, size - 1});
  } catch (const std::exception&) {
  }
  return 0;
}
