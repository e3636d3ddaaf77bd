// After a lazy restart the memory is mapped from the image. A thread in the background reads all of it once, so that it
// is in the page cache when the program uses it, and compares its checksums.
//
// INV-41 no image is called written before the one that its memory came from was read and found to be right.
#pragma once
#include <runtime/image/read/rank_image.hpp>

#include <memory>

namespace mana::job {

/// Starts a thread of the lower half. If the thread finds damage, it ends the job: the program may have used the
/// damaged memory.
void begin_lazy_check(std::unique_ptr<image::rank_image> own, image::lazy_memory left);

/// Waits until all memory was read. Returns at once if no check was begun.
void finish_lazy_check() noexcept;

}  // namespace mana::job
