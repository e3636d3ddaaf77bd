// After a lazy restart: the memory that was mapped from the image is read once in the background, so that it is near when it is
// used, and its checksums are compared.
//
// INV-41 no image is called written before the one that its memory came from was read and found to be right.
#pragma once
#include <runtime/image/read/rank_image.hpp>

#include <memory>

namespace mana::job {

/// Starts a thread of the lower half. What it finds to be damaged ends the job: the program may have used it.
void begin_lazy_check(std::unique_ptr<image::rank_image> own, image::lazy_memory left);

/// Waits until all is read. At once if nothing is to be.
void finish_lazy_check() noexcept;

}  // namespace mana::job
