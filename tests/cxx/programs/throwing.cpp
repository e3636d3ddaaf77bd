// Error handlers, set by C's functions, that do not return: they throw through MPI's functions, and jump out of them. MPI goes
// on to work, and no frame of the program is left out.
#include <mpi.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace {

std::jmp_buf place;
int unwound;

struct Counted { ~Counted() { ++unwound; } };
struct Failure { int code; std::string text; };

void throw_it(MPI_Comm*, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(*code, text, &length);
  throw Failure{*code, std::string(text, static_cast<std::size_t>(length))};
}
void jump(MPI_Comm*, int* code, ...) { std::longjmp(place, *code == MPI_SUCCESS ? -1 : 1); }

int class_of(int code) {
  int found = 0;
  MPI_Error_class(code, &found);
  return found;
}

/// out: 1 if the handler jumped here
int jumps(MPI_Comm comm, int nobody) {
  int data;
  if (setjmp(place) != 0) return 1;
  MPI_Recv(&data, 1, MPI_INT, nobody, 0, comm, MPI_STATUS_IGNORE);
  return 0;
}

/// Number of errors that arrived in the way that they should.
int all_ways(MPI_Comm comm, MPI_Errhandler throwing, MPI_Errhandler jumping, int size) {
  int good = 0, data = 1;
  MPI_Comm_set_errhandler(comm, throwing);
  const int before = unwound;
  for (int way = 0; way < 3; ++way) {
    try {
      const Counted counted;
      if (way == 0) MPI_Send(&data, 1, MPI_INT, size + 1, 0, comm);
      if (way == 1) MPI_Bcast(&data, -1, MPI_INT, 0, comm);
      if (way == 2) MPI_Comm_call_errhandler(comm, MPI_ERR_RANK);
    } catch (const Failure& failure) {
      good += class_of(failure.code) == (way == 1 ? MPI_ERR_COUNT : MPI_ERR_RANK) && !failure.text.empty();
    }
  }
  good += unwound - before;
  MPI_Comm_set_errhandler(comm, jumping);
  good += jumps(comm, size + 1);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 10, pause_ms = argc > 2 ? std::atoi(argv[2]) : 0;
  MPI_Comm comm;
  MPI_Errhandler throwing, jumping;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(throw_it, &throwing);
  MPI_Comm_create_errhandler(jump, &jumping);
  for (int step = 1; step <= steps; ++step) {
    int good = all_ways(comm, throwing, jumping, size), all = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_SUM, comm);
    wrong += all != 7 * size;
    if (rank == 0) std::printf("step %d of %d: %d\n", step, steps, all), std::fflush(stdout);
    if (pause_ms > 0) usleep(static_cast<unsigned>(pause_ms) * 1000);
  }
  MPI_Errhandler_free(&throwing);
  MPI_Errhandler_free(&jumping);
  MPI_Comm_free(&comm);
  if (rank == 0) std::printf(wrong == 0 ? "checksum %x\n" : "%d steps: what should does not hold\n", wrong == 0 ? 7 * size : wrong);
  MPI_Finalize();
  return wrong != 0;
}
