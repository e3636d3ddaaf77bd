// What an operation names stays until it ends, whoever frees it before; a request that is freed while its operation is
// pending ends with that.
#include <running_mpi.hpp>

namespace request_pending_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

int data[8];

/// An operation of one form. start: begins it on this communicator, with this datatype; out: its request below
struct form {
  const char* name;
  std::shared_ptr<real<kind::request>> (*start)(MPI_Comm comm, MPI_Datatype type, MPI_Request* r);
};
const form forms[] = {
    {"send", [](MPI_Comm comm, MPI_Datatype type, MPI_Request* r) {
       auto below = expect_start<&services::isend>();
       CHECK(MPI_Isend(data, 1, type, 2, 7, comm, r) == MPI_SUCCESS);
       return below; }},
    {"synchronous send", [](MPI_Comm comm, MPI_Datatype type, MPI_Request* r) {
       auto below = expect_start<&services::isend>();
       CHECK(MPI_Issend(data, 1, type, 2, 7, comm, r) == MPI_SUCCESS);
       return below; }},
    {"receive", [](MPI_Comm comm, MPI_Datatype type, MPI_Request* r) {
       auto below = expect_start<&services::irecv>();
       CHECK(MPI_Irecv(data, 1, type, 2, 7, comm, r) == MPI_SUCCESS);
       return below; }},
    {"matched receive", [](MPI_Comm comm, MPI_Datatype type, MPI_Request* r) {
       MPI_Message m = MPI_MESSAGE_NULL;
       expect<&services::mprobe>().does([](int, int, auto, int, int* flag, real<kind::message>* m, neutral::status* s) {
         *m = make<kind::message>();
         *s = {2, 7, neutral::success, 0, 4};
         *flag = 1;
         return int{neutral::success};
       });
       CHECK(MPI_Mprobe(2, 7, comm, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
       auto below = std::make_shared<real<kind::request>>();
       expect<&services::imrecv>().does([below](void*, std::int64_t, auto, real<kind::message> message, real<kind::request>* q) {
         end(message);
         *below = *q = pending_request(true);
         return int{neutral::success};
       });
       CHECK(MPI_Imrecv(data, 1, type, &m, r) == MPI_SUCCESS);
       return below; }},
    {"non-blocking collective", [](MPI_Comm comm, MPI_Datatype type, MPI_Request* r) {
       auto below = expect_start<&mpi_slots::MPI_Ibcast>();
       CHECK(MPI_Ibcast(data, 1, type, 0, comm, r) == MPI_SUCCESS);
       return below; }},
    {"collective of many datatypes", [](MPI_Comm comm, MPI_Datatype type, MPI_Request* r) {
       const MPI_Datatype types[] = {type, MPI_INT, type, MPI_INT};
       static const int ones[] = {1, 1, 1, 1};
       auto below = expect_start<&mpi_slots::MPI_Ialltoallw>();
       CHECK(MPI_Ialltoallw(data, ones, ones, types, data, ones, ones, types, comm, r) == MPI_SUCCESS);
       return below; }},
};

struct objects {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t comms = live_count(kind_code::comm), types = live_count(kind_code::datatype);
  objects() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
  }
  void free() {
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
  }
  /// Those below that the program has not been told of.
  std::size_t left() const { return live_count(kind_code::comm) - comms + live_count(kind_code::datatype) - types; }
};
/// Datatypes end with the next one that is made.
void sweep() {
  MPI_Datatype next = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &next);
  MPI_Type_free(&next);
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "INV-67 communicator and datatype live until the operation that names them is over") {
  for (const form& f : forms) {
    INFO(std::string(f.name));
    objects o;
    MPI_Request r = MPI_REQUEST_NULL;
    const auto below = f.start(o.comm, o.type, &r);
    o.free();
    CHECK(o.left() == 2);
    int flag = 1;
    CHECK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(flag == 0);
    CHECK(o.left() == 2);
    complete(*below, {2, 7, neutral::success, 0, 4});
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    sweep();
    CHECK(o.left() == 0);
  }
}

TEST_CASE_FIXTURE(running_mpi, "a request that is freed while it is pending ends when its operation does, and then what it names") {
  for (const form& f : forms) {
    INFO(std::string(f.name));
    objects o;
    MPI_Request r = MPI_REQUEST_NULL;
    const auto below = f.start(o.comm, o.type, &r);
    const MPI_Request stale = r;
    CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
    CHECK(r == MPI_REQUEST_NULL);
    r = stale;
    o.free();
    CHECK(o.left() == 2);
    complete(*below);
    // The next request that is freed looks after those before it.
    const auto next = expect_start<&services::irecv>();
    MPI_Request other = MPI_REQUEST_NULL;
    CHECK(MPI_Irecv(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &other) == MPI_SUCCESS);
    complete(*next, {2, 7, neutral::success, 0, 4});
    CHECK(MPI_Request_free(&other) == MPI_SUCCESS);
    sweep();
    CHECK(o.left() == 0);
    CHECK(pending_requests() == 0);
  }
}

TEST_CASE_FIXTURE(running_mpi, "an operation that fails leaves nothing, and its error comes from the wait") {
  for (const form& f : forms) {
    INFO(std::string(f.name));
    objects o;
    MPI_Request r = MPI_REQUEST_NULL;
    const auto below = f.start(o.comm, o.type, &r);
    complete(*below, {2, 7, neutral::err_intern, 0, 0});
    check_error(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_INTERN);
    CHECK(r == MPI_REQUEST_NULL);
    o.free();
    sweep();
    CHECK(o.left() == 0);
  }
}

TEST_CASE_FIXTURE(running_mpi, "of two operations the one that failed is named by its status") {
  MPI_Request both[2];
  const auto first = expect_start<&services::irecv>();
  CHECK(MPI_Irecv(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &both[0]) == MPI_SUCCESS);
  const auto second = expect_start<&services::irecv>();
  CHECK(MPI_Irecv(data, 1, MPI_INT, 3, 7, MPI_COMM_WORLD, &both[1]) == MPI_SUCCESS);
  complete(*first, {2, 7, neutral::success, 0, 4});
  complete(*second, {3, 7, neutral::err_truncate, 0, 4});
  MPI_Status statuses[2];
  check_error(MPI_Waitall(2, both, statuses), MPI_ERR_IN_STATUS);
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
  CHECK(class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
}

TEST_CASE_FIXTURE(running_mpi, "a request that is over is an error in every call") {
  const auto below = expect_start<&services::irecv>();
  MPI_Request r = MPI_REQUEST_NULL;
  CHECK(MPI_Irecv(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
  const MPI_Request stale = r;
  complete(*below, {2, 7, neutral::success, 0, 4});
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  int flag = 0, n = 0, at = 0;
  const auto each = [&](auto call) {
    r = stale;
    check_error(call(), MPI_ERR_REQUEST);
  };
  each([&] { return MPI_Wait(&r, MPI_STATUS_IGNORE); });
  each([&] { return MPI_Test(&r, &flag, MPI_STATUS_IGNORE); });
  each([&] { return MPI_Waitall(1, &r, MPI_STATUSES_IGNORE); });
  each([&] { return MPI_Testall(1, &r, &flag, MPI_STATUSES_IGNORE); });
  each([&] { return MPI_Waitany(1, &r, &n, MPI_STATUS_IGNORE); });
  each([&] { return MPI_Testany(1, &r, &n, &flag, MPI_STATUS_IGNORE); });
  each([&] { return MPI_Waitsome(1, &r, &n, &at, MPI_STATUSES_IGNORE); });
  each([&] { return MPI_Testsome(1, &r, &n, &at, MPI_STATUSES_IGNORE); });
  each([&] { return MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE); });
  each([&] { return MPI_Request_free(&r); });
  each([&] { return MPI_Cancel(&r); });
  each([&] { return MPI_Start(&r); });
  each([&] { return MPI_Startall(1, &r); });
  each([&] { return MPI_Grequest_complete(r); });
}

TEST_CASE_FIXTURE(running_mpi, "a receive that is cancelled, also across a restart, counts for nothing") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    const auto below = expect_start<&services::irecv>();
    MPI_Request r = MPI_REQUEST_NULL;
    CHECK(MPI_Irecv(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
    expect<&services::cancel>().gives(neutral::success);
    CHECK(MPI_Cancel(&r) == MPI_SUCCESS);
    expect_checkpoint_in<&services::wait_some>(how);
    if (how == outcome::resumes)
      after_checkpoint([below] { complete(*below, {neutral::any_source, neutral::any_tag, neutral::success, 1, 0}); });
    MPI_Status status;
    CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
    int cancelled = 0;
    CHECK(MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS);
    CHECK(cancelled == 1);
  }
}

TEST_CASE_FIXTURE(running_mpi, "a persistent operation is started again after a restart, and ends with its request") {
  objects o;
  MPI_Request r = MPI_REQUEST_NULL;
  CHECK(MPI_Recv_init(data, 1, o.type, 2, 7, o.comm, &r) == MPI_SUCCESS);
  for (const outcome how : {outcome::restarts, outcome::resumes}) {
    auto below = expect_start<&services::irecv>();
    CHECK(MPI_Start(&r) == MPI_SUCCESS);
    if (how == outcome::restarts) below = expect_start<&services::irecv>();
    expect_checkpoint_in<&services::wait_some>(how);
    after_checkpoint([below] { complete(*below, {2, 7, neutral::success, 0, 8}); });
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(r != MPI_REQUEST_NULL);
  }
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&o.comm) == MPI_SUCCESS);
  CHECK(MPI_Type_free(&o.type) == MPI_SUCCESS);
}

}  // namespace request_pending_tests
