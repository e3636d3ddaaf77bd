// The functions behind mana/api.h.
#include <mana/api.h>
#include <mana/hooks/hook_table.hpp>
#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

#include <unistd.h>

extern "C" {

[[gnu::visibility("default")]] int mana_api_checkpoint(int then) {
  const std::uint64_t amount = mana::lower::request_amount(then == MANA_STOP);
  const auto descriptor = static_cast<int>(mana::lower::the_bridge().requests);
  return write(descriptor, &amount, sizeof amount) == sizeof amount ? 0 : -1;
}

[[gnu::visibility("default")]] long mana_api_restarts() { return mana::lower::the_bridge().restarts; }

[[gnu::visibility("default")]] int mana_api_hook_add(mana_event event, mana_hook_function function, void* extra) {
  return mana::hooks::the_hooks.add(event, function, extra);
}
[[gnu::visibility("default")]] int mana_api_hook_remove(int number) {
  return mana::hooks::the_hooks.remove(number) ? 0 : -1;
}

}
