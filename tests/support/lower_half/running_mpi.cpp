#include "running_mpi.hpp"

#include <utility>

namespace mana::scripted {
namespace {

std::vector<heard_error>& errors() {
  static std::vector<heard_error> all;
  return all;
}
void note_error(MPI_Comm* comm, int* code, ...) { errors().push_back({*comm, *code}); }

void start() {
  static bool is_running = false;
  if (std::exchange(is_running, true)) return;
  attach();
  REQUIRE(MPI_Init(nullptr, nullptr) == MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, running_mpi::noting());
  MPI_Comm_set_errhandler(MPI_COMM_SELF, running_mpi::noting());
}

}  // namespace

MPI_Errhandler running_mpi::noting() {
  static const MPI_Errhandler handler = [] {
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(note_error, &made);
    return made;
  }();
  return handler;
}

std::vector<heard_error> running_mpi::heard() { return std::exchange(errors(), {}); }

running_mpi::running_mpi() {
  start();
  errors().clear();
  ids_ = inventory();
  reals_ = live_count();
}

running_mpi::~running_mpi() {
  // Datatypes that operations needed longer than the program end with the next one.
  MPI_Datatype last = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &last);
  MPI_Type_free(&last);
  end_of_script();
  const auto left = inventory();
  for (std::size_t i = 0; i < left.size(); ++i) CHECK_MESSAGE(left[i] == ids_[i], std::string(lower::inventory_names[i]));
  CHECK_MESSAGE(live_count() == reals_, std::string("handles of the lower half"));
}

int class_of(int code) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  return found;
}

void check_error(int code, int error_class, MPI_Comm comm) {
  CHECK(class_of(code) == error_class);
  const std::vector<heard_error> heard = running_mpi::heard();
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].code == code);
  CHECK(heard[0].comm == comm);
}

}  // namespace mana::scripted
