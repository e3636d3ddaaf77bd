// The image from which this rank is restored: in the directory of checkpoints, or on its node.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mana::job {

struct restored_image {
  std::uint64_t generation = 0;
  std::uint32_t rank = 0;
  std::string directory;             // the parent of the generation's directory
  bool is_on_node = false;
  // the directory of checkpoints has the same image, so later images there may refer to it
  bool is_global = true;
  std::vector<std::string> roots;    // other directories with the chunks to which it refers; see chunk_reader
  std::string damaged_file = {};     // found while the image was read; empty: none

  std::string path_of_generation() const;
  std::string path() const;
};

/// The image of this process, set when the ranks choose the checkpoint.
restored_image& image_of_restart() noexcept;

/// INV-35: marks the checkpoint as damaged, so that later restarts pass it over. If the damaged file belongs to another
/// generation, that generation is marked too, and so is every generation whose memory is partly there. Never throws.
/// in: why  without the rank
void mark_restart_failed(const std::string& why) noexcept;

}  // namespace mana::job
