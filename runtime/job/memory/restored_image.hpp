// The image that this rank is restored from: in the directory of checkpoints, or on its node.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mana::job {

struct restored_image {
  std::uint64_t generation = 0;
  std::uint32_t rank = 0;
  std::string directory;             // that the generation's directory is in
  bool is_on_node = false;
  bool is_global = true;             // the directory of checkpoints has the same image: others may refer to it there
  std::vector<std::string> roots;    // where else what it refers to may be; see chunk_reader
  std::string damaged_file = {};     // that was met when it was read; empty: none

  std::string path_of_generation() const;
  std::string path() const;
};

/// Of this process, set when the checkpoint is chosen.
restored_image& image_of_restart() noexcept;

/// INV-35: it is damaged, and passed over from now on; so is the generation whose file it is that is damaged, and all that has
/// a part of its memory there. Never throws.     in: why  without the rank
void mark_restart_failed(const std::string& why) noexcept;

}  // namespace mana::job
