#include <runtime/control/fence.hpp>

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace mana::control {

namespace {

bool has_membarrier = false;

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

/// When a page loses a right, the kernel interrupts every core that runs a thread of this process.
void fence_by_page() noexcept {
  constexpr std::size_t page = 4096;
  static void* const memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  mprotect(memory, page, PROT_READ | PROT_WRITE);
  *static_cast<volatile char*>(memory) = 1;
  mprotect(memory, page, PROT_READ);
}

}  // namespace

void prepare_fences() noexcept { has_membarrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }

void fence_all_threads() noexcept {
  if (!has_membarrier || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) fence_by_page();
}

}  // namespace mana::control
