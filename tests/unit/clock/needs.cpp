// The collective clock with needs: schedules that were chosen for what they show.
#include "world.hpp"

#include <doctest/doctest.h>

namespace clock_needs_tests {

using namespace clock_test;

namespace {

/// P0: Barrier(A), Send(1); P1: Recv(0), Barrier(B); P2: Barrier(B); P3: Barrier(A). A = {0, 3}, B = {1, 2}
script four_ranks() {
  return {{{{{'C', 0}, {'S', 1}}}, {{{'R', 0}, {'C', 1}}}, {{{'C', 1}}}, {{{'C', 0}}}}, {{0, 3}, {1, 2}}};
}

/// The policy's message that is on the way from the rank as the k-th.
const needs::news& on_the_way(const world& w, int r, std::size_t k) {
  return std::get<needs::news>(std::get<needs::up>(w.on_the_way_up(r)[k]));
}

bool says_quiet(const world& w, int r) { return on_the_way(w, r, w.on_the_way_up(r).size() - 1).quiet; }

/// What a rank says at once, the answer and its snapshot, arrives.
void deliver_answer(world& w, int r) {
  for (int k = 0; k < 2; ++k) w.deliver_up(r);
}

/// All ranks hear the request and answer, and the first targets are on their way.
void answer_all(world& w) {
  for (int r = 0; r < w.size(); ++r) w.deliver_down(r);
  for (int r = 0; r < w.size(); ++r) deliver_answer(w, r);
}

}  // namespace

TEST_CASE("without debts the line is declared where everyone is") {
  world w({{{{{'C', 0}}}, {{{'C', 0}}}}, {{0, 1}}});
  w.request();
  for (int r : {0, 1}) w.deliver_down(r);
  CHECK_FALSE(w.run(0));              // held: nobody has started this collective
  w.settle();
  CHECK(w.at_line());
  CHECK(w.count(0, 0) == 0);
  CHECK(w.count(1, 0) == 0);
  w.conclude();
  w.settle();
  CHECK(w.all_ended());
}

TEST_CASE("INV-16 the four-rank example reaches the line: a message is a node of the graph") {
  world w(four_ranks());
  CHECK(w.run(2));                    // P2 is in Barrier(B)
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
  CHECK(w.count(1, 1) == 1);          // P1 came to it, since P0 and P3 went through Barrier(A) for its message
  CHECK(w.count(0, 0) == 1);
}

TEST_CASE("without needs the four-rank example deadlocks, and the report says who waits") {
  world w(four_ranks(), {.drop_needs = true});
  w.run(2);
  w.request();
  w.settle();
  CHECK_FALSE(w.at_line());
  CHECK(w.who_is_behind() == "rank 1: a collective that others have started has yet to start\n");
}

TEST_CASE("a need passes on along a chain of messages") {
  // P0: Barrier(A), Send(1); P1: Recv(0), Send(2); P2: Recv(1), Barrier(B); P3: Barrier(B); P4: Barrier(A)
  world w({{{{{'C', 0}, {'S', 1}}}, {{{'R', 0}, {'S', 2}}}, {{{'R', 1}, {'C', 1}}}, {{{'C', 1}}}, {{{'C', 0}}}},
           {{0, 4}, {2, 3}}});
  w.run(3);
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
  CHECK(w.count(2, 1) == 1);
}

TEST_CASE("a synchronous send needs its receiver") {
  // P0: Barrier(A), Recv(1); P1: Ssend(0), Barrier(B); P2: Barrier(B); P3: Barrier(A)
  world w({{{{{'C', 0}, {'R', 1}}}, {{{'Y', 0}, {'C', 1}}}, {{{'C', 1}}}, {{{'C', 0}}}}, {{0, 3}, {1, 2}}});
  w.run(2);
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
  CHECK(w.count(1, 1) == 1);
}

TEST_CASE("a wildcard receive needs everyone") {
  world w({{{{{'C', 0}, {'S', 1}}}, {{{'A', 0}, {'C', 1}}}, {{{'C', 1}}}, {{{'C', 0}}}}, {{0, 3}, {1, 2}}});
  w.run(2);
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
}

TEST_CASE("INV-9 INV-18 debts are the rank's: a thread of it starts what another thread's wait depends on") {
  // P0: thread 0: Recv(1), Barrier(A); thread 1: Barrier(B). P1: Barrier(B), Send(0). P2: Barrier(A)
  world w({{{{{'R', 1}, {'C', 0}}, {{'C', 1}}}, {{{'C', 1}, {'S', 0}}}, {{{'C', 0}}}}, {{0, 2}, {0, 1}}});
  w.run(2);
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
  CHECK(w.count(0, 0) == 1);
  CHECK(w.count(0, 1) == 1);
}

TEST_CASE("two threads wait: the need is of both, until each wait ends") {
  // P0: thread 0: Recv(1), thread 1: Recv(2), Barrier(A); P3: Barrier(A)
  world w({{{{{'R', 1}}, {{'R', 2}, {'C', 0}}}, {{{'S', 0}}}, {{{'S', 0, 1}}}, {{{'C', 0}}}}, {{0, 3}}});
  w.run(3);
  w.run(0, 0);
  w.run(0, 1);
  w.request();
  answer_all(w);
  w.deliver_down(0);
  REQUIRE(w.on_the_way_up(0).size() == 1);
  CHECK(on_the_way(w, 0, 0).waits == std::vector<needs::wait>{{0, true, true, {1, 2}}});
  w.run(1);
  w.run(0, 0);
  REQUIRE(w.on_the_way_up(0).size() == 2);
  CHECK(on_the_way(w, 0, 1).waits == std::vector<needs::wait>{{0, true, true, {2}}});
  w.run(2);
  w.run(0, 1);
  REQUIRE(w.on_the_way_up(0).size() == 3);
  CHECK(on_the_way(w, 0, 2).waits == std::vector<needs::wait>{needs::nobody(0)});
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
}

TEST_CASE("a raise that comes when all others are quiet is passed on before the line") {
  // P0: Barrier(A); P1: Barrier(B), Barrier(A); P2: Barrier(B). A = {0, 1}, B = {1, 2}
  world w({{{{{'C', 0}}}, {{{'I', 1}, {'C', 0}}}, {{{'C', 1}}}}, {{0, 1}, {1, 2}}});
  w.run(0);
  w.request();
  answer_all(w);
  w.deliver_down(1);
  for (int step = 0; step < 4; ++step) w.run(1);     // starts B, leaves it, starts A: no debt is left that it knows of
  CHECK(says_quiet(w, 1));
  while (w.deliver_up(1)) {}
  CHECK_FALSE(w.at_line());                          // rank 2 has to start B
  CHECK_FALSE(w.consistent());
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
  CHECK(w.count(2, 1) == 1);
}

TEST_CASE("a root that left its broadcast early is not ahead of the line") {
  world w({{{{{'E', 0}, {'E', 0}}}, {{{'E', 0}, {'E', 0}}}, {{{'E', 0}, {'E', 0}}}}, {{0, 1, 2}}});
  CHECK(w.run(0));      // starts
  CHECK(w.run(0));      // leaves, nobody else has come
  w.request();
  w.settle();
  CHECK(w.at_line());
  for (int r : {0, 1, 2}) CHECK(w.count(r, 0) == 1);
}

TEST_CASE("ranks that wait for each other do not need each other once nobody is behind") {
  // P0: Recv(any), Barrier(A), Recv(any); P1: Recv(any); P2: Barrier(A); P3: Send(0), computes, Send(0), Send(1)
  world w({{{{{'A', 0}, {'C', 0}, {'A', 0}}}, {{{'A', 0}}}, {{{'C', 0}}}, {{{'S', 0}, {'S', 0}, {'S', 1}}}}, {{0, 2}}});
  w.run(2);
  w.request();
  w.settle(3);
  CHECK_FALSE(w.at_line());           // P0 is behind, and needs anyone, and so does P1 by now
  CHECK(w.is_needed(1));
  w.run(3);
  for (int step = 0; step < 4; ++step) w.run(0);     // P0 comes to the barrier, and waits again before anyone hears it
  w.settle(3);
  CHECK(w.at_line());                 // though P0 and P1 wait for anyone, and P3 goes on computing
  CHECK(w.consistent());
}

TEST_CASE("a master with workers is stopped in the midst of its work") {
  constexpr int rounds = 2000;
  script s{{{{}}, {{}}, {{}}, {{}}, {{{'C', 0}}}}, {{3, 4}}};
  for (int i = 0; i < rounds; ++i)
    for (int worker : {1, 2, 3}) {
      s.programs[0][0].push_back({'A', 0});
      s.programs[0][0].push_back({'S', worker});
      s.programs[static_cast<std::size_t>(worker)][0].insert(s.programs[static_cast<std::size_t>(worker)][0].end(),
                                                              {{'S', 0}, {'R', 0}});
    }
  s.programs[3][0].insert(s.programs[3][0].begin() + 20, {'C', 0});
  world w(s);
  w.run(4);                           // one of the workers has to come to a barrier with rank 4
  w.request();
  for (int round = 0; !w.at_line() && !w.all_ended(); ++round) {
    for (int r = 0; r < w.size(); ++r) {
      if (round % 10 == 0) {          // the program is faster than the network
        while (w.deliver_up(r)) {}
        while (w.deliver_down(r)) {}
      }
      w.run(r);
    }
  }
  CHECK(w.at_line());
  CHECK(w.consistent());
  CHECK(w.count(3, 0) == 1);
  CHECK_FALSE(w.ended(0));
}

TEST_CASE("a request that is given up leaves no trace, and the next one is served") {
  world w(four_ranks());
  w.run(2);
  w.request();
  for (int r = 0; r < 4; ++r) w.deliver_down(r);
  w.give_up();
  w.settle();
  CHECK(w.all_ended());
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
}

TEST_CASE("INV-17 snapshots of a request that was given up do not stand for the next one's") {
  world w({{{{{'C', 0}}}, {{{'C', 0}}}}, {{0, 1}}});
  w.request();
  for (int r : {0, 1}) w.deliver_down(r);     // both answer: nothing started
  w.give_up();
  w.request();
  w.deliver_down(0);                          // given up: rank 0 runs, and starts the barrier
  CHECK(w.run(0));
  for (int r : {0, 1}) deliver_answer(w, r);  // only now the answers of the first request come
  for (int step = 0; step < 2; ++step)        // rank 1 hears of both requests, and of all that came of the old answers
    for (int r : {0, 1}) while (w.deliver_down(r)) {}
  for (int r : {0, 1}) while (w.deliver_up(r)) {}
  CHECK_FALSE(w.at_line());                   // rank 0 has started what rank 1 has not
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
  CHECK(w.count(1, 0) == 1);
}

TEST_CASE("who was quiet before the newest orders came is not quiet yet") {
  struct nowhere {
    int orders = 0;
    void request(int, request_number) {}
    void send(int, const needs::down&) { ++orders; }
    void line(int) {}
  } network;
  coordinator_host<needs, nowhere> host(network, 3);
  host.request();
  const auto say = [&](int rank, needs::news n) {
    host.receive(rank, n);
    host.settle();
  };
  for (int r : {0, 1, 2}) host.answer(r, 1);
  say(0, {0, true, {{{1, 1}, 1, {0, 1}}}, {}});
  say(1, {0, true, {}, {}});
  CHECK(network.orders == 0);                 // not all have said what they started
  say(2, {0, true, {}, {}});
  CHECK(network.orders == 1);                 // rank 1 is behind
  say(2, {0, true, {{{2, 2}, 1, {1, 2}}}, {}});
  CHECK(network.orders == 2);
  say(1, {1, true, {}, {}});
  CHECK_FALSE(host.done());
  CHECK(host.describe() == "rank 1: a collective that others have started has yet to start\n");
  say(1, {2, true, {}, {}});
  CHECK(host.done());
}

}  // namespace clock_needs_tests
