// What a restart does about memory that the kernel had promised to the program, or not: INV-84.
#pragma once
#include <runtime/image/read/rank_image.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::job {

class reserved_memory {
 public:
  /// The visitor asks what the image says of reservations. This must live as long as it.
  void listen(image::memory_visitor& visitor);
  /// What is not as it was, in words.
  std::vector<std::string> warnings() const;

 private:
  void note_refused(const image::region& r) noexcept;

  std::uint64_t refused_bytes_ = 0;
};

}  // namespace mana::job
