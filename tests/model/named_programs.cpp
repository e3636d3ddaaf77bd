// Programs that have names: as people would write them.
#include "program.hpp"

namespace clock_model {

namespace {

template <class Body>
script write(int ranks, std::vector<group> groups, Body body) {
  script s{{}, std::move(groups)};
  for (int r = 0; r < ranks; ++r) s.ranks.push_back(body(rank_info{r, ranks}).operations());
  return s;
}

constexpr int A = 0, B = 1;

program halo(rank_info me) {
  co_yield irecv(me.left(), 0);
  co_yield isend(me.right(), 1);
  co_yield wait(0);
  co_yield wait(1);
  co_yield barrier(A);
}

/// Each rank's message has to be received before the next one's is sent.
program ring(rank_info me) {
  if (me.rank == 0) co_yield ssend(me.right());
  co_yield recv(me.left());
  if (me.rank != 0) co_yield ssend(me.right());
  co_yield broadcast(A);
}

program master_and_workers(rank_info me) {
  for (int worker = 1; worker < me.size; ++worker) {
    if (me.rank == 0) co_yield recv_any();
    if (me.rank == worker) co_yield send(0);
  }
  co_yield reduce(A);
}

/// Groups {0, 3} and {1, 2}: rank 1 waits for a message that comes after a barrier it has no part in.
program message_between_groups(rank_info me) {
  if (me.rank == 0 || me.rank == 3) co_yield barrier(A);
  if (me.rank == 0) co_yield send(1);
  if (me.rank == 1) co_yield recv(0);
  if (me.rank == 1 || me.rank == 2) co_yield barrier(B);
}

/// Ranks 0 and 1 use the new communicator while rank 2 is still making it.
program made_group(rank_info me) {
  co_yield make_group(A, B);
  if (me.rank == 2) co_yield compute();
  co_yield broadcast(B);
  co_yield barrier(A);
}

/// As made_group; then B is freed, by some members before others have entered it.
program freed_group(rank_info me) {
  co_yield make_group(A, B);
  if (me.rank < 2) {
    co_yield broadcast(B);
    co_yield free_group(B);
  }
  if (me.rank == 1) co_yield compute();
  co_yield barrier(A);
}

/// A and B have the same members, which do not start with the same one.
program duplicate(rank_info me) {
  if (me.rank == 0) co_yield ibarrier(A, 0);
  if (me.rank == 0) co_yield compute();
  co_yield barrier(B);
  if (me.rank == 1) co_yield ibarrier(A, 0);
  co_yield wait(0);
}

program overlap(rank_info me) {
  co_yield ibarrier(A, 0);
  if (me.rank == 0) co_yield ssend(1);
  if (me.rank == 1) co_yield recv(0);
  co_yield wait(0);
  co_yield barrier(A);
}

/// Rank 1 is behind as soon as the root has left B, and waits for rank 2, which waits for rank 3, which is held.
program chain(rank_info me) {
  if (me.rank == 0) {
    co_yield broadcast(B);
    co_yield barrier(A);
  }
  if (me.rank == 1) {
    co_yield recv(2);
    co_yield broadcast(B);
  }
  if (me.rank == 2) {
    co_yield recv(3);
    co_yield send(1);
  }
  if (me.rank == 3) {
    co_yield barrier(A);
    co_yield send(2);
  }
}

/// Rank 1 is needed until rank 0 has its message, and no longer. It knows, and comes to B: if it were needed as long
/// as rank 0 computes, ranks 1 and 3 would go on as far as the program does.
program acknowledged(rank_info me) {
  if (me.rank == 0) {
    co_yield recv(1);
    co_yield send(1);
    co_yield compute();
    co_yield barrier(A);
  }
  if (me.rank == 1) {
    co_yield send(0);
    co_yield recv(0);
  }
  if (me.rank == 2) co_yield barrier(A);
  for (int more = 0; more < 3; ++more)
    if (me.rank == 1 || me.rank == 3) co_yield barrier(B);
}

/// Ranks 1 and 2 are behind on B, and both wait for rank 0; rank 1 has its message when rank 0 comes to A.
program two_waits(rank_info me) {
  if (me.rank == 0) {
    co_yield broadcast(B);
    co_yield send(1);
    co_yield barrier(A);
    co_yield send(2);
  }
  if (me.rank == 1) {
    co_yield recv(0);
    co_yield broadcast(B);
    co_yield barrier(A);
  }
  if (me.rank == 2) {
    co_yield recv(0);
    co_yield broadcast(B);
  }
}

/// Ranks 1 and 2 wait for anyone, so for each other too, while rank 0 computes.
program crossed(rank_info me) {
  if (me.rank == 0) {
    co_yield broadcast(A);
    co_yield send(1);
    co_yield compute();
    co_yield broadcast(B);
    co_yield send(1);
    co_yield send(2);
  }
  if (me.rank == 1) {
    co_yield recv_any();
    co_yield broadcast(A);
    co_yield recv_any();
  }
  if (me.rank == 2) {
    co_yield recv_any();
    co_yield broadcast(B);
  }
}

}  // namespace

std::vector<named_program> named_programs() {
  return {{"halo", write(3, {{0, 1, 2}}, halo)},
          {"ring", write(3, {{0, 1, 2}}, ring)},
          {"master", write(3, {{0, 1, 2}}, master_and_workers)},
          {"between", write(4, {{0, 3}, {1, 2}}, message_between_groups)},
          {"made", write(3, {{0, 1, 2}, {0, 1, 2}}, made_group)},
          {"freed", write(3, {{0, 1, 2}, {0, 1}}, freed_group)},
          {"duplicate", write(2, {{0, 1}, {0, 1}}, duplicate)},
          {"overlap", write(2, {{0, 1}}, overlap)},
          {"chain", write(4, {{0, 3}, {0, 1}}, chain)},
          {"acknowledged", write(4, {{0, 2}, {1, 3}}, acknowledged)},
          {"two_waits", write(3, {{0, 1}, {0, 1, 2}}, two_waits)},
          {"crossed", write(3, {{0, 1}, {0, 2}}, crossed)}};
}

}  // namespace clock_model
