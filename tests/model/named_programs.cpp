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

/// All want one lock, and have it while they compute.
program contended(rank_info me) {
  co_yield lock(0);
  if (me.rank == 0) co_yield compute();
  co_yield unlock(0);
  co_yield barrier(A);
}

/// Rank 0 has lock 0 until the program's end, across all collectives.
program held_for_life(rank_info me) {
  if (me.rank == 0) co_yield lock(0);
  co_yield barrier(A);
  if (me.rank < 2) {
    co_yield lock(1);
    co_yield unlock(1);
  }
  co_yield broadcast(A);
  if (me.rank == 0) co_yield unlock(0);
}

/// Rank 1 is behind as soon as rank 2 has left B, and waits for the lock of rank 0, which is held before A.
program holder_is_held(rank_info me) {
  if (me.rank == 0) {
    co_yield lock(0);
    co_yield barrier(A);
    co_yield unlock(0);
  }
  if (me.rank == 1) {
    co_yield lock(0);
    co_yield unlock(0);
    co_yield reduce(B);
  }
  if (me.rank == 2) {
    co_yield reduce(B);
    co_yield barrier(A);
  }
}

/// As before. But rank 3 is held before A, which gets the lock when rank 0 gives it back.
program next_holder(rank_info me) {
  if (me.rank == 0) {
    co_yield lock(0);
    co_yield unlock(0);
  }
  if (me.rank == 1) {
    co_yield lock(0);
    co_yield unlock(0);
    co_yield reduce(B);
  }
  if (me.rank == 2) {
    co_yield reduce(B);
    co_yield barrier(A);
  }
  if (me.rank == 3) {
    co_yield lock(0);
    co_yield barrier(A);
    co_yield unlock(0);
  }
}

/// Rank 2 is behind and waits for rank 1, which waits for a lock that nobody has any more.
program lock_passed_on(rank_info me) {
  if (me.rank == 0) {
    co_yield lock(0);
    co_yield compute();
    co_yield unlock(0);
    co_yield broadcast(A);
  }
  if (me.rank == 1) {
    co_yield lock(0);
    co_yield unlock(0);
    co_yield send(2);
  }
  if (me.rank == 2) {
    co_yield recv(1);
    co_yield broadcast(A);
  }
}

/// Ranks 0 and 1 share a lock and meet with it. Rank 2 then wants it alone.
program readers(rank_info me) {
  if (me.rank < 2) {
    co_yield share(0);
    co_yield barrier(B);
    if (me.rank == 0) co_yield send(2);
    co_yield unlock(0);
  } else {
    co_yield recv(0);
    co_yield lock(0);
    co_yield unlock(0);
  }
  co_yield barrier(A);
}

/// Rank 1 accesses rank 0's window, which is exposed across a collective; then the reverse.
program exposed(rank_info me) {
  const int first = me.rank;
  if (first == 0) co_yield post(1);
  co_yield broadcast(A);
  if (first == 1) {
    co_yield start(0);
    co_yield complete(0);
    co_yield post(0);
  }
  if (first == 0) {
    co_yield start(1);
    co_yield complete(1);
    co_yield await(1);
  }
  if (first == 1) co_yield await(0);
  co_yield fence(A);
}

/// Two windows' fences, a lock between them that is passed on to who comes later.
program fenced(rank_info me) {
  if (me.rank == 1) co_yield lock(0);
  co_yield fence(A);
  if (me.rank == 1) co_yield unlock(0);
  if (me.rank == 0) {
    co_yield lock(0);
    co_yield unlock(0);
  }
  if (me.rank == 0) co_yield compute();
  co_yield fence(A);
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
          {"crossed", write(3, {{0, 1}, {0, 2}}, crossed)},
          {"contended", write(3, {{0, 1, 2}}, contended)},
          {"held_for_life", write(3, {{0, 1, 2}}, held_for_life)},
          {"holder_is_held", write(3, {{0, 2}, {1, 2}}, holder_is_held)},
          {"next_holder", write(4, {{2, 3}, {1, 2}}, next_holder)},
          {"lock_passed_on", write(3, {{0, 2}}, lock_passed_on)},
          {"readers", write(3, {{0, 1, 2}, {0, 1}}, readers)},
          {"exposed", write(2, {{0, 1}}, exposed)},
          {"fenced", write(2, {{0, 1}}, fenced)}};
}

}  // namespace clock_model
