// What tests of waits have in common: the message that comes after the checkpoint, and all the ways in which one goes.
#pragma once
#include "running_mpi.hpp"

namespace mana::scripted {

/// Of rank 2's message with tag 7: one int.
inline constexpr neutral::status from_two{2, 7, neutral::success, 0, 4};

inline void check_from_two(const MPI_Status& s) {
  int n = 0;
  CHECK(s.MPI_SOURCE == 2);
  CHECK(s.MPI_TAG == 7);
  CHECK(MPI_Get_count(&s, MPI_INT, &n) == MPI_SUCCESS);
  CHECK(n == 1);
}

/// One checkpoint of each kind; no error is heard.
template <class Test>
void each_way(Test&& test) {
  for (const outcome how : all_ways) {
    INFO(std::string(way_names[static_cast<int>(how)]));
    const int before = parks();
    test(how);
    CHECK(parks() == before + 1);
    CHECK(running_mpi::heard().empty());
  }
}

/// The next call that looks once, and finds nothing, parks when it leaves.
inline void expect_checkpoint_after_look(outcome how) {
  raise_attention();
  expect<&services::clock_wait>().does([how] { return declare_line(how); });
}

/// The live MPI ends these in its next wait.
inline void complete_in_wait() {
  expect<&services::wait_some>().does([](int n, real<kind::request>* reals, neutral::status* statuses, int) {
    for (int i = 0; i < n; ++i)
      if (reals[i]) complete(reals[i], from_two);
    return take_completed(n, reals, statuses);
  });
}

/// Requests that were freed while they were pending end when later ones are freed; one of two parts, part by part.
inline void sweep_requests() {
  int data = 0;
  for (int part = 0; part < 2; ++part) {
    MPI_Request r = MPI_REQUEST_NULL;
    const auto next = expect_start<&services::irecv>();
    CHECK(MPI_Irecv(&data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
    complete(*next, from_two);
    CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  }
}

}  // namespace mana::scripted
