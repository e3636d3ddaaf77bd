// How far ranks must run beyond a request, and how far they ran.
#pragma once
#include "parts.hpp"

namespace clock_model {

/// By rank: how many of its operations were started.
using cut = std::vector<int>;

/// The smallest cut from `from` on in which each group's members have started equally many collectives, and in which
/// all that an operation's end waits for has been started. What a wildcard receives is left out: others may have sent
/// it.
inline cut smallest_line(const script& s, cut from) {
  const auto count_of = [&](int r, int upto, auto&& is_one) {
    int n = 0;
    for (int i = 0; i < upto; ++i) n += is_one(s.ranks[index(r)][index(i)]) ? 1 : 0;
    return n;
  };
  bool moved = true;
  /// Rank r has to start its n-th operation that is_one.
  const auto reach = [&](int r, int n, auto&& is_one) {
    const rank_ops& ops = s.ranks[index(r)];
    for (int i = 0; i < static_cast<int>(ops.size()); ++i)
      if (is_one(ops[index(i)]) && --n == 0 && from[index(r)] <= i) from[index(r)] = i + 1, moved = true;
  };
  const auto sends_to = [](int r) {
    return [r](const op& o) {
      return (o.what == act::send || o.what == act::ssend || o.what == act::isend) && o.with == r;
    };
  };
  const auto receives_of = [](int r) {
    return [r](const op& o) { return (o.what == act::recv || o.what == act::irecv) && o.with == r; };
  };
  const auto on = [](int g) { return [g](const op& o) { return is_collective(o.what) && o.with == g; }; };
  while (moved) {
    moved = false;
    for (int g = 0; g < static_cast<int>(s.groups.size()); ++g) {
      int most = 0;
      for (const int m : s.groups[index(g)]) most = std::max(most, count_of(m, from[index(m)], on(g)));
      for (const int m : s.groups[index(g)]) reach(m, most, on(g));
    }
    for (int r = 0; r < s.size(); ++r)
      for (int i = 0; i + 1 < from[index(r)]; ++i) {
        int at = i;
        op o = s.ranks[index(r)][index(i)];
        if (o.what == act::wait) {
          for (--at; at > 0 && !(s.ranks[index(r)][index(at)].slot == o.slot &&
                                 s.ranks[index(r)][index(at)].what != act::wait);) --at;
          o = s.ranks[index(r)][index(at)];
        } else if (o.what == act::isend || o.what == act::irecv) {
          continue;
        }
        if (receives_of(o.with)(o)) reach(o.with, count_of(r, at + 1, receives_of(o.with)), sends_to(r));
        if (sends_to(o.with)(o) && o.what != act::send)
          reach(o.with, count_of(r, at + 1, sends_to(o.with)), receives_of(r));
      }
  }
  return from;
}

struct distance {
  int collectives = 0, least = 0;              // started since the ranks heard the request; in the smallest line
  int beyond() const { return collectives - least; }
};

inline distance distance_of(const script& s, const cut& began, const cut& line) {
  const auto between = [&](const cut& to) {
    int n = 0;
    for (int r = 0; r < s.size(); ++r)
      for (int i = began[index(r)]; i < to[index(r)]; ++i) n += is_collective(s.ranks[index(r)][index(i)].what) ? 1 : 0;
    return n;
  };
  return {between(line), between(smallest_line(s, began))};
}

}  // namespace clock_model
