// The commands whose part of the runtime this build does not have: they end with an error that says so.
#include "commands.hpp"
#include "failure.hpp"

namespace mana::tools {

#if !defined(MANA_HAS_STORE)
namespace {
[[noreturn]] void no_store() {
  throw failure(exit_code::parts_missing, "this build of mana has no reader of checkpoints (target mana_store)",
                "build it from complete sources");
}
}  // namespace
void restart(const run_options&, const environment&) { no_store(); }
int inspect(const inspect_command&) { no_store(); }
int verify(const verify_command&) { no_store(); }
#endif

#if !defined(MANA_HAS_CLIENT)
namespace {
[[noreturn]] void no_client() {
  throw failure(exit_code::parts_missing, "this build of mana cannot talk to jobs (target mana_client)",
                "build it from complete sources");
}
}  // namespace
int take_checkpoint(const checkpoint_command&) { no_client(); }
int show_status(const status_command&) { no_client(); }
#endif

}  // namespace mana::tools
