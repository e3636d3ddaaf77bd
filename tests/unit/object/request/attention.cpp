// A checkpoint in the middle of each wait: the thread parks, is saved, and the wait goes on and ends right, in the same
// process or in a new one. Every handle that crosses afterwards is checked to be of the new one.
#include <each_way.hpp>

#include <cstring>

namespace request_attention_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

int data[4];

/// A receive that is under way when the checkpoint comes, and has its message afterwards. A restart posts it again.
void expect_receive_to_go_on(outcome how, std::shared_ptr<real<kind::request>> started) {
  if (how == outcome::restarts) started = expect_start<&services::irecv>();
  after_checkpoint([started] { complete(*started, from_two); });
}

MPI_Request begin_receive(outcome how) {
  MPI_Request r = MPI_REQUEST_NULL;
  const auto started = expect_start<&services::irecv>();
  CHECK(MPI_Irecv(data, 1, MPI_INT, 2, MPI_ANY_TAG, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
  expect_receive_to_go_on(how, started);
  return r;
}
/// imrecv takes the message over. out: its request
std::shared_ptr<real<kind::request>> expect_matched_receive() {
  auto made = std::make_shared<real<kind::request>>();
  expect<&services::imrecv>().does([made](void*, std::int64_t, auto, real<kind::message> message, real<kind::request>* r) {
    end(message);
    *made = *r = pending_request(true);
    return int{neutral::success};
  });
  return made;
}
MPI_Request begin_send() {
  MPI_Request r = MPI_REQUEST_NULL;
  expect_start<&services::isend>();
  CHECK(MPI_Isend(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
  return r;
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "MPI_Send: a drain completes it") {
  each_way([](outcome how) {
    expect_start<&services::send>(raise_attention);
    expect<&services::clock_wait>().does([how](const int* ranks, int n) {
      CHECK(n == 1);
      CHECK(ranks[0] == 2);
      return declare_line(how);
    });
    if (how == outcome::is_given_up)                  // a drain that ends early leaves it as it was
      after_checkpoint([] { expect<&services::wait_some>().does([](int n, auto* r, neutral::status* s, int) {
        for (int i = 0; i < n; ++i) complete(r[i]);
        return take_completed(n, r, s);
      }); });
    CHECK(MPI_Send(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Recv: its message comes after the checkpoint") {
  each_way([](outcome how) {
    expect_receive_to_go_on(how, expect_start<&services::recv>(raise_attention));
    expect<&services::clock_wait>().does([how] { return declare_line(how); });
    MPI_Status status;
    CHECK(MPI_Recv(data, 1, MPI_INT, 2, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    check_from_two(status);
  });
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Recv on a communicator and of a datatype that another call has freed meanwhile") {
  each_way([](outcome how) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(1, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Request r = MPI_REQUEST_NULL;
    const auto started = expect_start<&services::irecv>();
    CHECK(MPI_Irecv(data, 1, pair, 2, 7, comm, &r) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
    MPI_Type_free(&pair);
    if (how == outcome::restarts) {                   // ranks tell each other what they still use
      always<&mpi_slots::MPI_Allgather>().does([](const void* own, int, real<kind::datatype>, void* counts, int,
                                                     real<kind::datatype>, real<kind::comm>) {
        for (int r = 0; r < world_size; ++r) static_cast<int*>(counts)[r] = 0;
        std::memcpy(static_cast<int*>(counts) + own_rank, own, sizeof(int));
        return int{neutral::success};
      });
      expect<&mpi_slots::MPI_Allgatherv>().does([](const void* own, int n, real<kind::datatype>, void* all, const int*,
                                                   const int*, real<kind::datatype>, real<kind::comm>) {
        std::memcpy(all, own, sizeof(std::int64_t) * static_cast<std::size_t>(n));
        return int{neutral::success};
      });
    }
    expect_receive_to_go_on(how, started);
    expect_checkpoint_in<&services::wait_some>(how);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Wait, MPI_Waitany, MPI_Waitsome and MPI_Waitall for a receive") {
  const auto wait = [](int form, MPI_Request* r, MPI_Status* s) {
    int n = 0, at = 0;
    switch (form) {
      case 0: return MPI_Wait(r, s);
      case 1: return MPI_Waitany(1, r, &n, s);
      case 2: return MPI_Waitsome(1, r, &n, &at, s);
      default: return MPI_Waitall(1, r, s);
    }
  };
  for (int form = 0; form < 4; ++form) {
    INFO(form);
    each_way([&](outcome how) {
      MPI_Request r = begin_receive(how);
      expect_checkpoint_in<&services::wait_some>(how);
      MPI_Status status;
      CHECK(wait(form, &r, &status) == MPI_SUCCESS);
      CHECK(r == MPI_REQUEST_NULL);
      check_from_two(status);
    });
  }
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Waitall for a send and a receive: one ends in the drain, the other afterwards") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    MPI_Request both[] = {begin_send(), begin_receive(how)};
    expect_checkpoint_in<&services::wait_some>(how);
    MPI_Status statuses[2];
    CHECK(MPI_Waitall(2, both, statuses) == MPI_SUCCESS);
    check_from_two(statuses[1]);
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Test, MPI_Testany, MPI_Testsome, MPI_Testall park when they leave") {
  const auto test = [](int form, MPI_Request* r, int* flag) {
    int n = 0, at = 0;
    MPI_Status s;
    int rc = MPI_SUCCESS;
    switch (form) {
      case 0: return MPI_Test(r, flag, &s);
      case 1: return MPI_Testany(1, r, &n, flag, &s);
      case 2: rc = MPI_Testsome(1, r, &n, &at, &s); *flag = n; return rc;
      case 3: return MPI_Testall(1, r, flag, &s);
      default:
        rc = MPI_Request_get_status(*r, flag, &s);
        if (*flag != 0) CHECK(MPI_Wait(r, &s) == MPI_SUCCESS);
        return rc;
    }
  };
  for (int form = 0; form < 5; ++form) {
    INFO(form);
    each_way([&](outcome how) {
      MPI_Request r = begin_receive(how);
      raise_attention();
      expect<&services::clock_wait>().does([how] { return declare_line(how); });
      int flag = 1;
      CHECK(test(form, &r, &flag) == MPI_SUCCESS);
      CHECK(flag == 0);
      CHECK(test(form, &r, &flag) == MPI_SUCCESS);
      CHECK(flag == 1);
      CHECK(r == MPI_REQUEST_NULL);
    });
  }
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Sendrecv and MPI_Isendrecv") {
  each_way([](outcome how) {
    const auto started = expect_start<&services::irecv>();
    const auto sent = expect_start<&services::isend>();
    expect_checkpoint_in<&services::wait_some>(how);
    if (how == outcome::restarts) expect_receive_to_go_on(how, started);
    else after_checkpoint([=] {
      complete(*started, from_two);
      if (how == outcome::is_given_up) complete(*sent);
    });
    MPI_Status status;
    CHECK(MPI_Sendrecv(data, 1, MPI_INT, 2, 7, data + 1, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    check_from_two(status);
  });
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Buffer_detach waits for what is on its way") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    char room[1024];
    CHECK(MPI_Buffer_attach(room, sizeof room) == MPI_SUCCESS);
    expect<&mpi_slots::MPI_Pack_size>().does([](auto, auto, auto, int* size) { return *size = 4, 0; });
    expect<&mpi_slots::MPI_Pack>().gives(neutral::success);
    expect_start<&services::isend>();
    CHECK(MPI_Bsend(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD) == MPI_SUCCESS);
    expect_checkpoint_in<&services::wait_some>(how);
    void* back = nullptr;
    int size = 0;
    CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS);
    CHECK(back == room);
    CHECK(size == sizeof room);
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Probe and MPI_Mprobe: the message comes after the checkpoint") {
  each_way([](outcome how) {
    after_checkpoint([] { arrive({lower::predefined(neutral::comm_world), 2, 7, "four"}); });
    expect_checkpoint_in<&services::probe>(how);
    MPI_Status status;
    CHECK(MPI_Probe(2, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    check_from_two(status);
    MPI_Message m = MPI_MESSAGE_NULL;
    CHECK(MPI_Mprobe(2, 7, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    const auto received = expect_matched_receive();
    expect<&services::wait_some>().does([=](int n, real<kind::request>* r, neutral::status* s, int) {
      complete(*received, from_two);
      return take_completed(n, r, s);
    });
    CHECK(MPI_Mrecv(data, 1, MPI_INT, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  });
  each_way([](outcome how) {
    after_checkpoint([] { arrive({lower::predefined(neutral::comm_world), 2, 7, "four"}); });
    expect_checkpoint_in<&services::mprobe>(how);
    MPI_Message m = MPI_MESSAGE_NULL;
    CHECK(MPI_Mprobe(2, 7, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    REQUIRE(m != MPI_MESSAGE_NULL);
    expect_matched_receive();
    MPI_Request r = MPI_REQUEST_NULL;
    CHECK(MPI_Imrecv(data, 1, MPI_INT, &m, &r) == MPI_SUCCESS);
    CHECK(m == MPI_MESSAGE_NULL);
    expect<&services::wait_some>().does([](int n, real<kind::request>* reals, neutral::status* s, int) {
      complete(reals[0], from_two);
      return take_completed(n, reals, s);
    });
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(running_mpi, "a message that a drain has taken is found by a probe, a matched probe and a receive") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    raise_attention();
    arrive({lower::predefined(neutral::comm_world), 2, 7, "four"});
    arrive({lower::predefined(neutral::comm_world), 2, 7, "five"});
    expect<&services::clock_enter>().does([how] { return declare_line(how); });
    expect<&mpi_slots::MPI_Barrier>().gives(neutral::success);
    CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Status status;
    int flag = 0;
    CHECK(MPI_Iprobe(2, 7, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS);
    CHECK(flag == 1);
    check_from_two(status);
    MPI_Message m = MPI_MESSAGE_NULL;
    CHECK(MPI_Improbe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &m, &status) == MPI_SUCCESS);
    CHECK(flag == 1);
    char text[4];
    CHECK(MPI_Recv(text, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(std::memcmp(text, "five", 4) == 0);
    CHECK(MPI_Mrecv(text, 1, MPI_INT, &m, &status) == MPI_SUCCESS);
    CHECK(std::memcmp(text, "four", 4) == 0);
    check_from_two(status);
  }
}

}  // namespace request_attention_tests
