// Replaces libc's sigaction and signal in the lower half; its libraries find these first. The stub calls the libraries'
// handlers (INV-68), and sigaction reports their handlers as they set them.
#include <runtime/split/traps/signals/lower_handlers.hpp>

#include <dlfcn.h>
#include <signal.h>

#include <cerrno>
#include <cstring>

namespace {

using setter = int(int, const struct sigaction*, struct sigaction*);

setter* libcs_sigaction() noexcept {
  static setter* const found = reinterpret_cast<setter*>(dlsym(RTLD_NEXT, "sigaction"));
  return found;
}
[[gnu::used]] setter* const at_first = libcs_sigaction();  // looked up here, because dlsym in a handler would take a lock

/// in: own: the lower half's action before this call
void show_own(const mana::split::kernel_sigaction& own, struct sigaction& found) noexcept {
  found.sa_handler = reinterpret_cast<void (*)(int)>(own.handler);
  found.sa_flags = static_cast<int>(own.flags);
  std::memcpy(&found.sa_mask, &own.mask, sizeof own.mask);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int number, const struct sigaction* wanted, struct sigaction* old) noexcept {
  mana::split::kernel_sigaction own{};
  if (number >= 1 && number <= mana::split::signal_count) own = mana::split::lower_action(number);
  const int result = libcs_sigaction()(number, wanted, old);
  if (result != 0) return result;
  if (wanted != nullptr) mana::split::adopt_lower_handler(number);
  if (old != nullptr && mana::split::is_lower_handler(reinterpret_cast<std::uint64_t>(old->sa_handler)))
    show_own(own, *old);
  return result;
}

/// As libc's signal(). libc's would also honour siginterrupt(), which MPI libraries do not call.
sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction wanted {
  }, old{};
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  if (handler == SIG_ERR || sigaddset(&wanted.sa_mask, number) != 0) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return sigaction(number, &wanted, &old) == 0 ? old.sa_handler : SIG_ERR;
}
}
#pragma GCC visibility pop
