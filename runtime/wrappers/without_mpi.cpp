// The library of the upper half for programs without MPI: it parks their threads and runs their checkpoints.
#include <runtime/words/exit_status.hpp>
#include <runtime/wrappers/attach.hpp>

#include <mana/checkpoint/service.hpp>
#include <mana/gen/families.hpp>

#include <unistd.h>

#include <cstring>

namespace mana::wrappers {
namespace {

struct program_without_mpi {
  bool drain() noexcept {
    lower::cross([] { lower::the_bridge().service->drained(); });
    return true;
  }
  void before_image() noexcept {}
  void restarted() noexcept {}
};

/// The dynamic loader calls it with the arguments of main.
[[gnu::constructor(101)]] void attach(int count, char** arguments, char** environment) {
  if (!comes_to_lower_half(count, arguments, environment)) return;
  static const lower::upper_entry entry = {checkpoint::on_park_signal<program_without_mpi>, nullptr};
  make_known(entry, 0);
}

/// INV-78 of a program that is run as one without MPI no checkpoint is taken with an MPI loaded
/// (job::mpi_without_wrappers); its MPI_Init, by that name, is refused. That MPI has no lower half here, and nobody could
/// save its state in other processes and in the network. If a program gets the function from the MPI's library itself
/// (dlsym with its handle), it runs unsaved.
[[noreturn]] void refuse_mpi() noexcept {
  constexpr char text[] = "mana: error: a program that was started without MPI has loaded an MPI and calls MPI_Init\n"
                          "      start it with its MPI's mpirun, or name the MPI: mana run " MANA_MPI_OPTIONS "\n";
  [[maybe_unused]] const auto said = ::write(STDERR_FILENO, text, sizeof text - 1);
  ::_exit(static_cast<int>(exit_status::not_mpi));
}

}  // namespace
}  // namespace mana::wrappers

// The dynamic linker finds these before those of any MPI that the program loads, for C and for the MPIs' bindings of
// other languages.
#define MANA_REFUSED(name) \
  extern "C" [[gnu::visibility("default")]] int name() { mana::wrappers::refuse_mpi(); }
MANA_REFUSED(MPI_Init)
MANA_REFUSED(PMPI_Init)
MANA_REFUSED(MPI_Init_thread)
MANA_REFUSED(PMPI_Init_thread)
MANA_REFUSED(MPI_Session_init)
MANA_REFUSED(PMPI_Session_init)
