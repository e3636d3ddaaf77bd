// Exceptions about what an operation's function and an error handler have noted, thrown once MPI has returned; one is
// in flight in a destructor's call of MPI.
// ranks: 2
#include "pair.h"

#include <exception>
#include <stdexcept>
#include <string>

static std::exception_ptr noted;
static void divide(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) {
    int* const to = static_cast<int*>(inout) + i;
    try {
      const int by = static_cast<int*>(in)[i];
      if (by == 0) throw std::domain_error("by zero");
      *to += by;
    } catch (...) {
      noted = std::current_exception();
      *to = -1;
    }
  }
}
static int error_seen;
static void handle(MPI_Comm*, int* code, ...) { MPI_Error_class(*code, &error_seen); }

struct meets_in_the_end {
  ~meets_in_the_end() {
    CHECK(std::uncaught_exceptions() == 1, "%d", std::uncaught_exceptions());
    CHECK(exchange(31) == 31);
    if (lines_met < 2) line();
    CHECK(std::uncaught_exceptions() == 1, "%d", std::uncaught_exceptions());
  }
};

static void reduce(MPI_Op op, int value) {
  meets_in_the_end at_end;
  int own = value, sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  int failed = noted != nullptr, any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (noted) std::rethrow_exception(noted);
  if (any) throw std::domain_error("by zero elsewhere");
  throw std::runtime_error("sum " + std::to_string(sum));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Op op;
  MPI_Errhandler handler;
  MPI_Comm own;
  MPI_Op_create(divide, 1, &op);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &own), MPI_Comm_set_errhandler(own, handler);
  for (int round = 0; round < 3; ++round) {
    noted = nullptr;
    std::string what;
    try {
      reduce(op, round == 1 ? 0 : 4);
    } catch (const std::domain_error& error) {
      what = std::string("domain: ") + error.what();
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    CHECK(round == 1 ? what.rfind("domain: by zero", 0) == 0 : what == "sum 8", "%s", what.c_str());
    try {
      error_seen = 0;
      int value = 0;
      MPI_Send(&value, 1, MPI_INT, 77, 0, own);
      if (error_seen) throw error_seen;
      CHECK(!"thrown");
    } catch (int code) {
      CHECK(code == MPI_ERR_RANK, "%d", code);
    }
  }
  MPI_Op_free(&op), MPI_Errhandler_free(&handler), MPI_Comm_free(&own);
  return finish();
}
