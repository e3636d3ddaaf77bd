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

/// As the dynamic loader calls it: with the arguments of main.
[[gnu::constructor(101)]] void attach(int count, char** arguments, char** environment) {
  if (!comes_to_lower_half(count, arguments, environment)) return;
  static const lower::upper_entry entry = {checkpoint::on_park_signal<program_without_mpi>, nullptr};
  make_known(entry, 0);
}

/// INV-78 of a program that is run as one without MPI no checkpoint is taken with an MPI loaded (job::refuse_unseen_mpi); its
/// MPI_Init, by that name, is refused. That MPI has no lower half here, and nobody could save what it keeps in other processes
/// and in the network. Who asks the MPI's library itself for the function (dlsym with its handle) gets that, and runs unsaved.
[[noreturn]] void refuse_mpi() noexcept {
  constexpr char text[] = "mana: error: a program that was started without MPI has loaded one, and calls MPI_Init\n"
                          "      start it with its MPI's mpirun, or say which it is: mana run " MANA_ABI_OPTIONS "\n";
  [[maybe_unused]] const auto said = ::write(STDERR_FILENO, text, sizeof text - 1);
  ::_exit(static_cast<int>(exit_status::not_mpi));
}

}  // namespace
}  // namespace mana::wrappers

// Found before those of any MPI that the program loads, by C and by what the MPIs' bindings for other languages call.
#define MANA_REFUSED(name) \
  extern "C" [[gnu::visibility("default")]] int name() { mana::wrappers::refuse_mpi(); }
MANA_REFUSED(MPI_Init)
MANA_REFUSED(PMPI_Init)
MANA_REFUSED(MPI_Init_thread)
MANA_REFUSED(PMPI_Init_thread)
MANA_REFUSED(MPI_Session_init)
MANA_REFUSED(PMPI_Session_init)
