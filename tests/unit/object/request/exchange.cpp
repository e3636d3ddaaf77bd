// A send and a receive in one call, and sends that wait for their receiver: checkpoints in their waits, errors, early
// ends.
#include <each_way.hpp>

#include <mana/checkpoint/drain/mail.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/request/completion/handshake.hpp>
#include <mana/object/request/calls/request.hpp>

#include <cstring>

namespace request_exchange_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

int data[4];

void expect_packing() {
  expect<&mpi_slots::MPI_Pack_size>().does([](int, auto, auto, int* size) { return *size = 4, 0; });
  expect<&mpi_slots::MPI_Pack>().does(
      [](const void*, int, auto, void*, int, int* at, auto) { return *at = 4, 0; });
}
struct both_parts {
  std::shared_ptr<real<kind::request>> received = expect_start<&services::irecv>(), sent = expect_start<&services::isend>();
  /// The checkpoint leaves a receive that goes on, and a send that a drain has completed, if there is one.
  void go_on(outcome how) const {
    const auto again = how == outcome::restarts ? expect_start<&services::irecv>() : received;
    after_checkpoint([again, how, s = sent] {
      complete(*again, from_two);
      if (how == outcome::is_given_up) complete(*s);
    });
  }
};

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "MPI_Sendrecv_replace") {
  each_way([](outcome how) {
    expect_packing();
    const both_parts parts;
    expect_checkpoint_in<&services::wait_some>(how);
    parts.go_on(how);
    MPI_Status status;
    CHECK(MPI_Sendrecv_replace(data, 1, MPI_INT, 2, 7, 2, 7, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    check_from_two(status);
  });
}

#if MPI_VERSION >= 4
namespace {
/// 0: MPI_Isendrecv, 1: MPI_Isendrecv_replace
MPI_Request begin_exchange(int form) {
  MPI_Request r = MPI_REQUEST_NULL;
  if (form == 1) expect_packing();
  const int rc = form == 0 ? MPI_Isendrecv(data, 1, MPI_INT, 2, 7, data + 1, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r)
                           : MPI_Isendrecv_replace(data, 1, MPI_INT, 2, 7, 2, 7, MPI_COMM_WORLD, &r);
  CHECK(rc == MPI_SUCCESS);
  return r;
}
}  // namespace

TEST_CASE_FIXTURE(running_mpi, "MPI_Wait and MPI_Test for MPI_Isendrecv and MPI_Isendrecv_replace") {
  for (const int form : {0, 1}) {
    INFO(form);
    each_way([form](outcome how) {
      const both_parts parts;
      MPI_Request r = begin_exchange(form);
      expect_checkpoint_in<&services::wait_some>(how);
      parts.go_on(how);
      MPI_Status status;
      CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
      check_from_two(status);
    });
    each_way([form](outcome how) {
      const both_parts parts;
      MPI_Request r = begin_exchange(form);
      parts.go_on(how);
      expect_checkpoint_after_look(how);
      int flag = 1;
      MPI_Status status;
      CHECK(MPI_Test(&r, &flag, &status) == MPI_SUCCESS);
      CHECK(flag == 0);
      CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
      check_from_two(status);
    });
  }
}

TEST_CASE_FIXTURE(running_mpi,
                  "one request for two operations that is freed while both are pending ends with the later one") {
  for (const int form : {0, 1}) {
    const both_parts parts;
    MPI_Request r = begin_exchange(form);
    CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
    CHECK(pending_requests() == 2);
    complete(*parts.received, from_two);
    complete(*parts.sent);
    sweep_requests();
    CHECK(pending_requests() == 0);
  }
}

TEST_CASE_FIXTURE(running_mpi, "an exchange that the live MPI refuses, or one part of it, leaves nothing") {
  MPI_Request r = MPI_REQUEST_NULL;
  expect<&services::irecv>().gives(neutral::err_intern);
  check_error(MPI_Isendrecv(data, 1, MPI_INT, 2, 7, data + 1, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r), MPI_ERR_INTERN);
  for (const bool fails_in_send : {true, false}) {
    const both_parts parts;
    r = begin_exchange(0);
    complete(*parts.received, fails_in_send ? from_two : neutral::status{2, 7, neutral::err_truncate, 0, 4});
    complete(*parts.sent, {0, 0, fails_in_send ? int{neutral::err_intern} : int{neutral::success}, 0, 0});
    check_error(MPI_Wait(&r, MPI_STATUS_IGNORE), fails_in_send ? MPI_ERR_INTERN : MPI_ERR_TRUNCATE);
    CHECK(r == MPI_REQUEST_NULL);
    CHECK(pending_requests() == 0);
  }
}
#endif

// --- synchronous sends: a drain takes the message; if no receive has met it, the sender goes on waiting for the
// receiver's word

namespace {

/// As the receiver answers in a drain.
void answer(const object::request_entry& e, bool is_held) {
  const checkpoint::mail_head head{checkpoint::mail_kind::answers, 1, 0, 0};
  const checkpoint::answer_row row{e.what.message().posted, vid::table<kind::request>().id_of(e).bits(), is_held};
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  send_mail(2, bytes.append(reinterpret_cast<const char*>(&row), sizeof row));
}
object::request_entry* open_synchronous() {
  object::request_entry* found = nullptr;
  vid::table<kind::request>().for_each_unordered([&](auto& e) {
    if (e.what.message().met == object::meeting::asked) found = &e;
  });
  return found;
}
/// The drain's question to rank 2 is answered when it has been asked.
void answer_in_drain(bool is_held) {
  expect<&services::drain_post>().does([is_held](int to, const void*, std::int64_t) {
    CHECK(to == 2);
    object::request_entry* const e = open_synchronous();
    REQUIRE(e != nullptr);
    answer(*e, is_held);
    return int{neutral::success};
  });
}
/// The receiver's word, later: a receive has begun.
void arrive_word(MPI_Request r) {
  object::request_entry* e = nullptr;
  object::look_up(r, e);
  REQUIRE(e != nullptr);
  const object::handshake_word word{e->what.message().posted, vid::table<kind::request>().id_of(*e).bits(), 0};
  arrive({object::comms().hidden.real, 2, object::handshake_tag, {reinterpret_cast<const char*>(&word), sizeof word}});
}
MPI_Request begin_synchronous() {
  MPI_Request r = MPI_REQUEST_NULL;
  expect_start<&services::isend>();
  CHECK(MPI_Issend(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
  return r;
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a synchronous send whose message was met before the drain ends with it") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    MPI_Request r = begin_synchronous();
    answer_in_drain(false);
    expect_checkpoint_in<&services::wait_some>(how);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi,
                  "one whose message lies with its receiver waits for the receiver's word, in MPI_Wait and MPI_Test") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    MPI_Request r = begin_synchronous();
    answer_in_drain(true);
    expect_checkpoint_in<&services::wait_some>(how);
    after_checkpoint([r] {
      int flag = 1;
      MPI_Request same = r;
      CHECK(MPI_Test(&same, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(flag == 0);
      arrive_word(r);
    });
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi, "the wait for the receiver's word is left for the next checkpoint, too") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    MPI_Request r = begin_synchronous();
    answer_in_drain(true);
    expect_checkpoint_in<&services::wait_some>(how);
    after_checkpoint([r, how] {
      expect_checkpoint_in<&services::test_some>(how);
      after_checkpoint([r] { arrive_word(r); });
    });
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  CHECK(parks() == 4);
}

TEST_CASE_FIXTURE(
    running_mpi,
    "a synchronous send that waits for the receiver's word and is freed: the word comes and changes nothing") {
  MPI_Request r = begin_synchronous();
  answer_in_drain(true);
  raise_attention();
  expect<&services::clock_enter>().does([] { return declare_line(outcome::restarts); });
  expect<&mpi_slots::MPI_Barrier>().gives(neutral::success);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  arrive_word(r);
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  const auto next = expect_start<&services::irecv>();
  CHECK(MPI_Irecv(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
  complete(*next, from_two);
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

}  // namespace request_exchange_tests
