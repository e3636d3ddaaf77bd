// Restores the kernel's promises of memory to the program (reservations): INV-84.
#pragma once
#include <runtime/image/read/rank_image.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::job {

class reserved_memory {
 public:
  /// Connects the visitor, which asks what the image says of reservations. This object must live as long as the
  /// visitor.
  void listen(image::memory_visitor& visitor);
  /// out: a sentence for each difference from the memory at the checkpoint
  std::vector<std::string> warnings() const;

 private:
  void note_refused(const image::region& r) noexcept;

  std::uint64_t refused_bytes_ = 0;
};

}  // namespace mana::job
