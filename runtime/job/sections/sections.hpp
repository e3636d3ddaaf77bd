// The sections of an image that a checkpoint of the job makes and a restart reads, by the rows of
// include/mana/image/section_table.hpp. Each section has a file here, with save_NAME and restore_NAME.
#pragma once
#include <runtime/job/needs.hpp>
#include <runtime/job/run_record.hpp>

#include <runtime/descriptors/capture.hpp>
#include <runtime/image/format/contents.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/split/window/lock_owners.hpp>

#include <mana/image/section_table.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mana::image { class rank_image; }

namespace mana::job {

/// The facts that a checkpoint has gathered after the ranks stopped. A section may move its part out of it.
struct gathered {
  const run_record& record;
  descriptors::captured& files;
  process_state::captured& process;
};

/// The results of sections that a restart uses.
struct restored_parts {
  std::string input;                                       // file for standard input; empty: none was named
  run_record record;
  needs needed;                                            // of a live MPI; empty: the image does not say
  std::optional<descriptors::restoration> files;           // work that remains for descriptors
  std::vector<std::int32_t> thread_ids;
  std::optional<std::vector<split::held_lock>> locks;      // held by threads; nothing: the image does not say
};

/// bytes: nothing if the image lacks a section that it may lack
struct read_section {
  const image::rank_image& image;
  std::optional<std::span<const std::uint8_t>> bytes;
};

/// Saves the rows that are saved when_stopped, in their order.
std::vector<image::section> save_sections(const gathered& all);

/// Restores the rows that are restored at `now`, in their order.
/// errors: start_failure, image_error (damaged: a required section is missing), descriptors::descriptor_error
void restore_sections(image::restored_when now, const image::rank_image& image, restored_parts& parts);

/// Reads the section "run".  errors: image_error (damaged), std::runtime_error
run_record run_record_of(const image::rank_image& image);

/// Refuses an image with sections that this version does not know and may not ignore.  errors: start_failure
void check_sections(const image::rank_image& image);

// Defined in the section's file: save_NAME if the section is saved when_stopped, restore_NAME if a step of a restart
// reads it.
#define MANA_ROW(name, ...) \
  std::vector<std::uint8_t> save_##name(const gathered& all); \
  void restore_##name(const read_section& from, restored_parts& parts);
MANA_IMAGE_SECTIONS(MANA_ROW)
#undef MANA_ROW

}  // namespace mana::job
