// INV-120: places in the queues of lock words. Every order of steps of a few ranks is tried.
#include <mana/object/win/lock_queue.hpp>

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

namespace win_lock_queue_tests {

using namespace mana::object;

TEST_CASE("readers wait for writers, writers for all, in the order of asking") {
  const std::int64_t reader = unit_of(lock_place::reader), writer = unit_of(lock_place::writer);
  CHECK(is_granted(lock_place::reader, 0, 0));
  CHECK(is_granted(lock_place::reader, 3 * reader, 0));
  CHECK(!is_granted(lock_place::reader, writer, 0));
  CHECK(is_granted(lock_place::reader, writer + reader, writer));
  CHECK(is_granted(lock_place::writer, 2 * writer + reader, 2 * writer + reader));
  CHECK(!is_granted(lock_place::writer, writer + reader, writer));
  CHECK(!is_granted(lock_place::room_writer, reader, 0));
  CHECK(is_granted(lock_place::room_writer, 5 * writer, 0));
  CHECK(!is_granted(lock_place::room_all, 5 * writer, 4 * writer));
}

TEST_CASE("counts that are full carry into a writer that does not exist, and is done with the readers") {
  const std::int64_t full = (std::int64_t{1} << 32) - 1;       // readers have asked and are done
  CHECK(is_granted(lock_place::reader, full, full));
  const std::int64_t asked = full + 1;                         // this reader's unit carries
  CHECK(!is_granted(lock_place::reader, asked, full));         // the next one waits for it
  CHECK(is_granted(lock_place::reader, asked, full + 1));
  const std::int64_t last = -(std::int64_t{1} << 32);          // the writers' count is full
  CHECK(is_granted(lock_place::writer, last, last));
  CHECK(writers_of(last) == 0xffff'ffffu);
}

namespace {

/// What a rank does, step by step: asks for a place, is granted, leaves.
struct rank_state {
  std::vector<lock_place> wanted;      // in this order; left in the reverse one
  std::size_t asked = 0, held = 0;
  bool leaves = false;
  std::int64_t before = 0;
  auto tied() const { return std::tie(asked, held, leaves, before); }
  bool operator<(const rank_state& o) const { return tied() < o.tied(); }
};
struct state {
  std::vector<rank_state> ranks;
  std::int64_t words[4] = {};
  bool operator<(const state& o) const {
    return std::tie(words[0], words[1], words[2], words[3], ranks) < std::tie(o.words[0], o.words[1], o.words[2], o.words[3], o.ranks);
  }
  std::int64_t& at(lock_word w) { return words[static_cast<int>(w)]; }
};

bool has(const rank_state& r, lock_place p) {
  for (std::size_t i = 0; i < r.held; ++i)
    if (r.wanted[i] == p) return true;
  return false;
}

/// One step of a rank. out: whether there was one
bool step(state& s, std::size_t rank) {
  rank_state& r = s.ranks[rank];
  if (r.leaves) {
    if (r.held == 0) return false;
    const lock_place p = r.wanted[--r.held];
    s.at(word_of_done(p)) += unit_of(p);
    return true;
  }
  if (r.held == r.wanted.size()) { r.leaves = true; return true; }
  if (r.asked == r.held) {
    const lock_place p = r.wanted[r.asked++];
    r.before = s.at(word_of_asked(p));
    s.at(word_of_asked(p)) += unit_of(p);
    return true;
  }
  const lock_place p = r.wanted[r.held];
  if (!is_granted(p, r.before, s.at(word_of_done(p)))) return false;
  ++r.held;
  r.before = 0;
  return true;
}

void explore(std::vector<std::vector<lock_place>> programs) {
  state first;
  for (auto& p : programs) first.ranks.push_back({p});
  std::set<state> known{first};
  std::vector<state> todo{first};
  while (!todo.empty()) {
    const state now = todo.back();
    todo.pop_back();
    int writers = 0, readers = 0, alls = 0, exclusives = 0;
    bool all_done = true, moved = false;
    for (const rank_state& r : now.ranks) {
      writers += has(r, lock_place::writer);
      readers += has(r, lock_place::reader);
      alls += has(r, lock_place::room_all);
      exclusives += has(r, lock_place::room_writer) && has(r, lock_place::writer);
      all_done = all_done && r.leaves && r.held == 0;
    }
    REQUIRE(writers <= 1);
    REQUIRE((writers == 0 || readers == 0));
    REQUIRE((exclusives == 0 || alls == 0));
    for (std::size_t i = 0; i < now.ranks.size(); ++i) {
      state next = now;
      if (!step(next, i)) continue;
      moved = true;
      if (known.insert(next).second) todo.push_back(next);
    }
    REQUIRE((moved || all_done));      // nobody waits for ever
  }
}

}  // namespace

TEST_CASE("INV-120 in every order of steps no writer shares a lock, and everybody gets it") {
  using p = lock_place;
  const std::vector<p> reader{p::reader}, writer{p::room_writer, p::writer}, all{p::room_all};
  explore({reader, reader, writer});
  explore({writer, writer, all});
  explore({writer, all, all, reader});
  explore({writer, writer, reader, all});
  explore({writer, writer, writer, all});
}

}  // namespace win_lock_queue_tests
