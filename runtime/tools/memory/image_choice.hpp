// Which images a user means who names a directory of checkpoints, one checkpoint in it, or an image.
#pragma once
#include <runtime/tools/text/failure.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mana::tools {

struct chosen_image {
  std::uint32_t rank = 0;
  std::string path;
  std::uint64_t memory_bytes = 0;        // as the manifest has it; without one, of the file
  std::optional<failure> problem = {};   // it is not the one that the manifest means
};

/// What a word named: the images of one generation, or one of them.
struct chosen {
  std::string directory;                 // of the generation; where the image is
  std::optional<std::uint64_t> generation;   // its number, by the directory's name
  bool complete = true;                  // false: it has no manifest
  std::vector<chosen_image> images;      // ascending by rank, at least one
};

/// A directory of checkpoints means its newest complete one.
/// in:     rank  only this one's image
/// errors: failure (checkpoint_missing, also of one that is being written; checkpoint_damaged, checkpoint_unreadable, …)
chosen choose_images(const std::string& word, std::optional<std::uint32_t> rank);

/// For who shows what is in an image as that of its rank.     errors: failure: what is wrong with one of them
void require_own(const chosen& images);

}  // namespace mana::tools
