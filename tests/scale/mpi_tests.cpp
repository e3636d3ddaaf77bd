// What each operation of the simulated MPI does, and when.
#include "rank_calls.hpp"

#include <doctest/doctest.h>

using namespace clock_scale;

namespace {

/// Holds collectives while told to.
struct gate final : clock_port {
  bool open = true;
  int held = 0;
  std::vector<std::vector<int>> waits;  // by rank: as declared last
  std::vector<int> ends;
  explicit gate(int ranks) : waits(static_cast<std::size_t>(ranks), std::vector<int>{-2}) {}
  mana::clock::verdict start(int, const mana::clock::collective&) override {
    held += open ? 0 : 1;
    return open ? mana::clock::verdict::go : mana::clock::verdict::hold;
  }
  void started(int, std::uint32_t, std::uint32_t) override {}
  void wait_begins(int rank, const std::vector<int>& peers) override { waits[static_cast<std::size_t>(rank)] = peers; }
  void wait_ends(int rank) override { ends.push_back(rank); }
};

struct job {
  event_queue queue;
  gate clock;
  mpi world;
  std::vector<nanoseconds> at;    // by rank: when it was where the program says
  std::vector<std::int64_t> got;  // by rank
  explicit job(int ranks) : clock(ranks), world(queue, clock, ranks, {1000, 1500, 0.1, 4096}) {
    at.assign(static_cast<std::size_t>(ranks), -1);
    got = at;
  }
  void mark(rank_calls me) { at[static_cast<std::size_t>(me.rank())] = queue.now(); }
  void keep(rank_calls me, std::int64_t value) { got[static_cast<std::size_t>(me.rank())] = value; }
  /// out: all programs have ended
  bool run(const mpi::body& program) {
    world.start(program);
    return go_on();
  }
  bool go_on() {
    while (queue.run_one()) {}
    return world.ended() == world.size();
  }
  std::uint32_t count(int rank, std::size_t at_place = 0) const {
    return world.counts(rank).size() <= at_place ? 0 : world.counts(rank)[at_place].count;
  }
};

}  // namespace

TEST_CASE("events: by time, then in the order in which they were made") {
  struct recorder final : event_handler {
    std::vector<std::uint64_t> seen;
    void on_event(std::uint64_t what) override { seen.push_back(what); }
  } r;
  event_queue q;
  for (const unsigned t : {500u, 7u, 7u, 1024u, 0u, 500u, 3u}) q.push(t, r, t * 10);
  q.push(500, r, 5009);
  q.run_one();
  q.push(7, r, 79);
  while (q.run_one()) {}
  CHECK(r.seen == std::vector<std::uint64_t>{0, 30, 70, 70, 79, 5000, 5000, 5009, 10240});
}

TEST_CASE("a send is eager, a receive waits for its message") {
  job j(2);
  CHECK(j.run([&](rank_calls me) -> rank_program {
    return [](rank_calls r, job& all) -> rank_program {
      if (r.rank() == 0) {
        co_await r.compute(5000);
        co_await r.send(1, 3, 42);
      } else {
        all.keep(r, (co_await r.recv(0, 3)).value);
      }
      all.mark(r);
    }(me, j);
  }));
  CHECK(j.at == std::vector<nanoseconds>{5000, 6000});
  CHECK(j.got[1] == 42);
}

TEST_CASE("a synchronous send, and one of a long message, end after the receive was posted") {
  for (const bool is_long : {false, true}) {
    job j(2);
    CHECK(j.run([&](rank_calls me) -> rank_program {
      return [](rank_calls r, job& all, bool rendezvous) -> rank_program {
        if (r.rank() == 0 && rendezvous) co_await r.send(1, 0, 7, 10000);
        if (r.rank() == 0 && !rendezvous) co_await r.ssend(1, 0, 7);
        if (r.rank() == 1) {
          co_await r.compute(9000);
          all.keep(r, (co_await r.recv(0, 0)).value);
        }
        all.mark(r);
      }(me, j, is_long);
    }));
    CHECK(j.got[1] == 7);
    CHECK(j.at == (is_long ? std::vector<nanoseconds>{11000, 12000} : std::vector<nanoseconds>{10000, 9000}));
  }
}

TEST_CASE("receives match by source and tag in order; from anyone: what came first") {
  job j(3);
  CHECK(j.run([&](rank_calls me) -> rank_program {
    return [](rank_calls r, job& all) -> rank_program {
      if (r.rank() == 2) {
        co_await r.send(0, 5, 1);
        co_await r.send(0, 5, 2);
        co_await r.send(0, 6, 3);
      }
      if (r.rank() == 1) {
        co_await r.compute(50);
        co_await r.send(0, 5, 4);
      }
      if (r.rank() != 0) co_return;
      std::int64_t order = (co_await r.recv(2, 6)).value;
      for (int i = 0; i < 2; ++i) order = order * 10 + (co_await r.recv_any(5)).value;
      const message last = co_await r.recv_any(5);
      all.keep(r, order * 100 + last.value * 10 + last.source);
    }(me, j);
  }));
  CHECK(j.got[0] == 31241);
}

TEST_CASE("non-blocking messages: wait_all ends with the last") {
  job j(2);
  CHECK(j.run([&](rank_calls me) -> rank_program {
    return [](rank_calls r, job& all) -> rank_program {
      const int other = 1 - r.rank();
      const std::vector<request> both{r.irecv(other, 0), r.issend(other, 0, r.rank())};
      co_await r.compute(r.rank() * 10000);
      co_await r.wait_all(both);
      all.mark(r);
    }(me, j);
  }));
  CHECK(j.at == std::vector<nanoseconds>{2000, 10000});
}

TEST_CASE("who leaves a collective when") {
  struct expected {
    collective_kind kind;
    std::vector<nanoseconds> at;
  };
  // Ranks enter after 0, 10000, 20000 and 30000 ns; the root is rank 1; two stages of 1500 ns.
  for (const expected& e : {expected{collective_kind::all, {33000, 33000, 33000, 33000}},
                            expected{collective_kind::from_root, {13000, 10000, 20000, 30000}},
                            expected{collective_kind::to_root, {0, 33000, 20000, 30000}}}) {
    job j(4);
    CHECK(j.run([&](rank_calls me) -> rank_program {
      return [](rank_calls r, job& all, collective_kind kind) -> rank_program {
        comm world = r.world();
        co_await r.compute(r.rank() * 10000);
        std::int64_t value = -1;
        if (kind == collective_kind::all) value = co_await r.allreduce(world, r.rank());
        if (kind == collective_kind::from_root) value = co_await r.bcast(world, 1, 10 + r.rank());
        if (kind == collective_kind::to_root) value = co_await r.reduce(world, 1, r.rank());
        all.keep(r, value);
        all.mark(r);
      }(me, j, e.kind);
    }));
    CHECK(j.at == e.at);
    if (e.kind == collective_kind::all) CHECK(j.got == std::vector<std::int64_t>{6, 6, 6, 6});
    if (e.kind == collective_kind::from_root) CHECK(j.got[3] == 11);
    if (e.kind == collective_kind::to_root) CHECK(j.got[1] == 6);
  }
}

TEST_CASE("a non-blocking collective is counted at its start, and over when all have started it") {
  job j(2);
  CHECK(j.run([&](rank_calls me) -> rank_program {
    return [](rank_calls r, job& all) -> rank_program {
      comm world = r.world();
      if (r.rank() == 1) co_await r.compute(10000);
      const request sum = co_await r.iallreduce(world, 3);
      const request second = co_await r.ibarrier(world);
      CHECK(all.count(r.rank()) == 2);
      all.mark(r);
      all.keep(r, (co_await r.wait(sum)).value);
      co_await r.wait(second);
    }(me, j);
  }));
  CHECK(j.at == std::vector<nanoseconds>{0, 10000});
  CHECK(j.got == std::vector<std::int64_t>{6, 6});
}

TEST_CASE("communicators: split, used in parallel, freed; the same ranks share a clock") {
  job j(4);
  CHECK(j.run([&](rank_calls me) -> rank_program {
    return [](rank_calls r, job& all) -> rank_program {
      comm world = r.world();
      comm half = co_await r.split(world, r.rank() == 3 ? -1 : r.rank() % 2);
      if (!half) co_return;
      all.keep(r, co_await r.allreduce(half, 1 + r.rank()));
      comm again = co_await r.split(half, 0);
      co_await r.barrier(again);
      co_await r.free(half);
      co_await r.barrier(again);
      co_await r.free(again);
    }(me, j);
  }));
  CHECK(j.got == std::vector<std::int64_t>{4, 2, 4, -1});
  CHECK(j.world.groups().size() == 3);
  CHECK(j.count(0, 1) == 6);
  CHECK(j.count(3, 1) == 0);
}

TEST_CASE("a collective that is held is not counted, and goes on when it is asked again") {
  job j(2);
  for (int r = 0; r < j.world.size(); ++r) j.world.begin_quiesce(r);
  j.clock.open = false;
  CHECK_FALSE(j.run([&](rank_calls me) -> rank_program {
    return [](rank_calls r, job& all) -> rank_program {
      comm world = r.world();
      const request b = co_await r.ibarrier(world);
      co_await r.wait(b);
      co_await r.barrier(world);
      all.mark(r);
    }(me, j);
  }));
  CHECK(j.clock.held == 2);
  CHECK(j.count(0) == 0);
  j.world.ask_again(0);
  CHECK(j.clock.held == 3);
  j.clock.open = true;
  j.world.ask_again(0);
  CHECK(j.count(0) == 1);
  CHECK_FALSE(j.go_on());
  j.world.ask_again(1);
  CHECK(j.go_on());
  CHECK(j.at == std::vector<nanoseconds>{3000, 3000});
}

TEST_CASE("while a checkpoint is pending, a rank tells whom it waits for, and the end of it") {
  job j(3);
  for (int r = 0; r < j.world.size(); ++r) j.world.begin_quiesce(r);
  CHECK(j.run([&](rank_calls me) -> rank_program {
    return [](rank_calls r, job& all) -> rank_program {
      comm world = r.world();
      if (r.rank() == 0) {
        const std::vector<request> both{r.irecv(1, 0), r.irecv(2, 0)};
        co_await r.wait_all(both);
        CHECK(all.clock.waits[0] == std::vector<int>{2});
        co_await r.recv_any(1);
        CHECK(all.clock.waits[0].empty());
      }
      if (r.rank() == 1) {
        co_await r.compute(5000);
        co_await r.send(0, 0);
      }
      if (r.rank() == 2) {
        co_await r.compute(9000);
        CHECK(all.clock.waits[0] == std::vector<int>{2});
        co_await r.send(0, 0);
        co_await r.compute(9000);
        co_await r.ssend(0, 1);
      }
      co_await r.barrier(world);
    }(me, j);
  }));
  CHECK(j.clock.waits[1] == std::vector<int>{-2});
  CHECK(j.clock.waits[2] == std::vector<int>{0});
  CHECK(j.clock.ends == std::vector<int>{0, 0, 2});
}
