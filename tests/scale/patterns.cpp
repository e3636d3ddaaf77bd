#include "patterns.hpp"

#include <array>
#include <cmath>

namespace clock_scale {

namespace {

constexpr nanoseconds us = 1000, ms = 1000 * us;
constexpr int long_message = 16384, short_message = 1024;

/// The ranks as rows and columns, as near to a square as their number allows.
struct mesh {
  explicit mesh(int ranks) : rows(static_cast<int>(std::sqrt(ranks))) {
    while (ranks % rows != 0) --rows;
    columns = ranks / rows;
  }
  int rows, columns = 0;
  int row(int rank) const { return rank / columns; }
  int column(int rank) const { return rank % columns; }
  int at(int row, int column) const {
    return (row + rows) % rows * columns + (column + columns) % columns;
  }
};

/// 100 us, and up to a fifth more.
nanoseconds computing(rank_calls me, std::uint64_t seed, int step) {
  const double more = random_fraction(seed, static_cast<std::uint64_t>(me.rank()), static_cast<std::uint64_t>(step));
  return 100 * us + static_cast<nanoseconds>(more * 20 * us);
}

/// Halo exchange with four neighbours, long messages to two of them, then a reduction.
rank_program exchange(rank_calls me, std::uint64_t seed, int straggler, nanoseconds straggles) {
  comm world = me.world();
  std::array<request, 8> all;
  for (int step = 0;; ++step) {
    const bool is_late = me.rank() == straggler && step % 4 == 1;
    co_await me.compute(is_late ? straggles : computing(me, seed, step));
    {
      const mesh m(me.size());
      const int row = m.row(me.rank()), column = m.column(me.rank());
      const int to[] = {m.at(row, column + 1), m.at(row, column - 1), m.at(row + 1, column), m.at(row - 1, column)};
      for (std::size_t i = 0; i < 4; ++i) all[i] = me.irecv(to[i ^ 1], static_cast<int>(i));
      for (std::size_t i = 0; i < 4; ++i)
        all[4 + i] = me.isend(to[i], static_cast<int>(i), step, i < 2 ? long_message : short_message);
    }
    co_await me.wait_all(all);
    co_await me.allreduce(world, 1);
  }
}

rank_program halo(rank_calls me, std::uint64_t seed) { return exchange(me, seed, -1, 0); }

/// Every fourth step one rank computes for 50 ms.
rank_program straggler(rank_calls me, std::uint64_t seed) { return exchange(me, seed, me.size() / 3, 50 * ms); }

/// As linear algebra does it: broadcasts along rows, reductions along columns with roots that change, one of them
/// non-blocking, a result to the row's master from anyone, and now and then a communicator that is freed again.
rank_program grid(rank_calls me, std::uint64_t seed) {
  comm world = me.world();
  const mesh m(me.size());
  comm row = co_await me.split(world, m.row(me.rank()));
  comm column = co_await me.split(world, m.column(me.rank()));
  const int row_begin = m.at(m.row(me.rank()), 0);
  for (int step = 0;; ++step) {
    co_await me.compute(computing(me, seed, step));
    co_await me.bcast(row, row_begin + step % m.columns, step);
    const request sum = co_await me.iallreduce(column, 1);
    co_await me.compute(computing(me, seed, step + 1'000'000));
    co_await me.wait(sum);
    co_await me.reduce(column, m.at(step % m.rows, m.column(me.rank())), 1);
    if (m.column(me.rank()) % 64 != 0) {
      if (step % 4 == 1) co_await me.ssend(row_begin + m.column(me.rank()) / 64 * 64, 0, step);
    } else if (step % 4 == 1) {
      const int last = std::min(m.columns, m.column(me.rank()) + 64);
      for (int i = m.column(me.rank()) + 1; i < last; ++i) co_await me.recv_any(0);
    }
    if (step % 4 == 3) {
      comm half = co_await me.split(row, m.column(me.rank()) * 2 / m.columns);
      co_await me.barrier(half);
      co_await me.free(half);
    }
  }
}

/// Chains of pairs. Each pair waits for messages of the next one before its allreduce, so nobody has begun those; only
/// the first pair's second rank has begun its own. The last pair computes for 2 ms and begins.
rank_program chain(rank_calls me, std::uint64_t seed) {
  comm world = me.world();
  comm pair = co_await me.split(world, me.rank() / 2);
  const int link = me.rank() % chain_length / 2;
  const bool is_last = link == chain_length / 2 - 1 || me.rank() + 2 >= me.size();
  for (int step = 0;; ++step) {
    if (is_last) co_await me.compute(20 * computing(me, seed, step));
    else if (me.rank() % chain_length != 1) co_await me.recv(me.rank() + 2, 0);
    co_await me.allreduce(pair, 1);
    if (me.rank() % chain_length == 1 && !is_last) co_await me.recv(me.rank() + 2, 0);
    if (link != 0) co_await me.send(me.rank() - 2, 0, step);
    co_await me.compute(computing(me, seed, step + 1'000'000));
  }
}

}  // namespace

const std::vector<pattern>& patterns() {
  static const std::vector<pattern> all = {
      {"halo", "halo exchange with a reduction each step", halo, 150 * us, 200 * us},
      {"grid", "row and column communicators", grid, 300 * us, 300 * us},
      {"straggler", "halo exchange, one rank is late by 50 ms", straggler, 45 * ms, 400 * us},
      {"chain", "chains of needs", chain, 2 * ms, 500 * us}};
  return all;
}

nanoseconds request_time(const pattern& p, std::uint64_t seed) {
  return p.first_step + static_cast<nanoseconds>(random_fraction(seed, 1, 1) * static_cast<double>(p.step));
}

}  // namespace clock_scale
