// A request is a head and the part of its form, and keeps what its operation names whatever the form is.
#include <running_mpi.hpp>

#include <mana/object/request/pool.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace request_forms_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

using request = descriptor<kind::request>;

/// The signal that ends a process which does this; 0: none does.
template <class Act>
int signal_of(Act&& act) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGILL, SIG_DFL);
    std::signal(SIGTRAP, SIG_DFL);
    act();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("the part of another form is not read: a build in one process ends") {
  using read = void (*)(request&);
  const read parts[] = {[](request& r) { r.message().peer = 1; }, [](request& r) { r.collective().plan = nullptr; },
                        [](request& r) { r.program().operation = nullptr; }};
  using begin = void (*)(request&);
  const begin forms[] = {[](request& r) { r.begin_message(object::request_form::recv); },
                         [](request& r) { r.begin_collective(); }, [](request& r) { r.begin_generalized(); }};
  for (int form = 0; form < 3; ++form)
    for (int part = 0; part < 3; ++part) {
      INFO(form);
      INFO(part);
      request r;
      forms[form](r);
      CHECK((signal_of([&] { parts[part](r); }) == 0) == (form == part));
      CHECK(r.parts() == nullptr);
      CHECK(r.plan() == nullptr);
    }
}

#if MPI_VERSION >= 4
TEST_CASE_FIXTURE(running_mpi, "what a persistent collective names lives until its request is freed, in each new process too") {
  always<&mpi_slots::MPI_Allreduce>().does(agree);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(1, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  MPI_Request r = MPI_REQUEST_NULL;
  int in = 1, out = 0;
  REQUIRE(MPI_Allreduce_init(&in, &out, 1, type, op, comm, MPI_INFO_NULL, &r) == MPI_SUCCESS);
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
  CHECK(MPI_Op_free(&op) == MPI_SUCCESS);
  for (int round = 0; round < 2; ++round) {
    const auto below = expect_start<&mpi_slots::MPI_Iallreduce>();        // its handles are checked
    CHECK(MPI_Start(&r) == MPI_SUCCESS);
    complete(*below);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    if (round == 1) break;
    expect_checkpoint_in<&services::probe>(outcome::restarts);
    arrive({lower::predefined(neutral::comm_world), 0, 1, "text"});
    CHECK(MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  CHECK(live_count(kind_code::op) == 1);
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  CHECK(live_count(kind_code::op) == 0);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}
#endif

}  // namespace request_forms_tests
