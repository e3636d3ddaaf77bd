// The images that a user means with a directory of checkpoints, a checkpoint in it, or an image.
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
  std::uint64_t memory_bytes = 0;        // from the manifest; without one, the size of the file
  std::optional<failure> problem = {};   // the image is not the one that the manifest means
};

/// The user's choice: the images of one generation, or one image.
struct chosen {
  std::string directory;                 // of the generation, or of the image
  std::optional<std::uint64_t> generation;   // the generation's number, from the directory's name
  bool complete = true;                  // false: the generation has no manifest
  std::vector<chosen_image> images;      // ascending by rank, at least one
};

/// A directory of checkpoints means its newest complete checkpoint.
/// in:     rank  only this rank's image
/// errors: failure (checkpoint_missing, also for a checkpoint that is being written; checkpoint_damaged,
///         checkpoint_unreadable, …)
chosen choose_images(const std::string& word, std::optional<std::uint32_t> rank);

/// Refuses images that the manifest does not mean, before a command shows them as their rank's.  errors: failure: the
/// first problem
void require_own(const chosen& images);

}  // namespace mana::tools
