// The replayer accepts what was recorded, and names the rule that a changed trace breaks.
#include "replay.hpp"
#include "simulation.hpp"

#include "../unit/control/job.hpp"
#include "../unit/temporary_directory.hpp"

#include <runtime/control/client.hpp>

#include <mana/clock/policies.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

using namespace clock_replay;
using namespace mana::control;
using mana::clock::verdict;

namespace {

std::vector<std::filesystem::path> traces_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;  // the coordinator's first
}

/// The traces of one simulated job.
struct recorded_job {
  explicit recorded_job(simulation::options o = {}, const makers& m = {}) : make(m) {
    simulation s(place.path(), o, make);
    s.run();
  }
  /// rank: -1: the coordinator
  std::filesystem::path file(int rank) const { return traces_in(place.path()).at(static_cast<std::size_t>(rank + 1)); }
  template <class Change>
  void change(int rank, Change&& how) const {
    trace t = *read_trace(file(rank));
    how(t.records);
    write_trace(file(rank), t);
  }
  report check() const { return check_directory(place.path(), make); }
  /// The rule that is broken, as text; "" if none.
  std::string broken() const {
    const report r = check();
    return r.found.empty() ? "" : name_of(r.found.front().broken);
  }

  temporary_directory place;
  makers make;
};

using records = std::vector<bytes>;

bool is(const bytes& record, trace_record type) { return type_of(record) == type; }
std::size_t find(const records& all, trace_record type, std::size_t from = 0) {
  for (std::size_t i = from; i < all.size(); ++i)
    if (is(all[i], type)) return i;
  FAIL("no such record");
  return 0;
}
std::size_t find_last(const records& all, trace_record type) {
  for (std::size_t i = all.size(); i-- > 0;)
    if (is(all[i], type)) return i;
  FAIL("no such record");
  return 0;
}
bytes made(trace_record type, const std::function<void(frame_writer&)>& fill = {}) {
  frame_writer w(static_cast<frame_type>(type));
  if (fill) fill(w);
  return body_of(w.take());
}
std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

/// A policy that lets one start go, and does not count it, that it ought to hold.
class runs_on final : public rank_clock {
 public:
  explicit runs_on(std::unique_ptr<rank_clock> inner) : inner_(std::move(inner)) {}
  void begin(mana::clock::request_number n, std::vector<mana::clock::group_count> c) override { inner_->begin(n, c); }
  void receive(frame_reader& frame) override { inner_->receive(frame); }
  void line() override { inner_->line(); }
  void end() override { inner_->end(); }
  verdict start(const mana::clock::collective& next) override {
    const verdict judged = inner_->start(next);
    return judged == verdict::go || std::exchange(has_run_, true) ? judged : verdict::go;
  }
  void wait_begins(std::uint64_t who, std::span<const int> peers) override { inner_->wait_begins(who, peers); }
  void wait_ends(std::uint64_t who) override { inner_->wait_ends(who); }
  bool always_asks() const noexcept override { return inner_->always_asks(); }
  bool quiescing() const noexcept override { return inner_->quiescing(); }
  bool at_line() const noexcept override { return inner_->at_line(); }
  std::uint64_t changes() const noexcept override { return inner_->changes(); }

 private:
  std::unique_ptr<rank_clock> inner_;
  bool has_run_ = false;
};

makers that_run_on() {
  makers m;
  m.rank = [](const std::string& policy, int rank,
              std::function<void(const bytes&)> send) -> std::unique_ptr<rank_clock> {
    std::unique_ptr<rank_clock> good = make_rank_clock(policy, rank, std::move(send));
    return rank == 0 ? std::make_unique<runs_on>(std::move(good)) : std::move(good);
  };
  return m;
}

}  // namespace

TEST_CASE("what simulated jobs record follows the rules") {
  totals all;
  for (const char* policy : {"needs", "collective_clock"})
    for (unsigned seed = 1; seed <= 40; ++seed) {
      const recorded_job j({.policy = policy, .ranks = 2 + static_cast<int>(seed % 4), .seed = seed});
      CAPTURE(seed);
      const report r = j.check();
      CHECK(j.broken() == "");
      CHECK(r.checked.requests == 4);
      all.lines += r.checked.lines;
      all.held += r.checked.held;
      all.starts += r.checked.starts;
    }
  CHECK(all.lines >= 160);
  CHECK(all.held > 0);
  CHECK(all.starts > 0);
}

TEST_CASE("so do those of a tree") {
  totals all;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const int ranks = 5 + static_cast<int>(seed % 9), fan_out = 2 + static_cast<int>(seed % 2);
    const recorded_job j({.ranks = ranks, .fan_out = fan_out, .seed = seed});
    CAPTURE(seed);
    const report r = j.check();
    for (const violation& v : r.found) FAIL_CHECK(v.describe());
    all.lines += r.checked.lines;
    all.held += r.checked.held;
  }
  CHECK(all.lines >= 120);
  CHECK(all.held > 0);
}

TEST_CASE("so do jobs of the runtime's control") {
  temporary_directory place, traces;
  mana::control_test::job::options o{{{0, 1, 2, 3}, {0, 1}, {1, 2, 3}}};
  o.clock_trace = traces.path();
  {
    mana::control_test::job j(place.path(), o, [](mana::control_test::rank& r) {
      while (r.go_on()) {
        r.barrier();
        if (r.number() < 2) r.barrier(1);
        if (r.number() > 0) r.barrier(2);
        r.compute();
      }
    });
    for (int i = 0; i < 20; ++i) request_checkpoint(j.directory(), false, 60);
    j.finish();
  }
  const report r = check_directory(traces.path());
  for (const violation& v : r.found) FAIL_CHECK(v.describe());
  CHECK(r.files == 5);
  CHECK(r.checked.jobs == 1);
  CHECK(r.checked.requests == 20);
  CHECK(r.checked.lines == 20);
}

TEST_CASE("and those with relays, of each policy") {
  for (const std::string_view policy : mana::clock::policy_names()) {
    CAPTURE(policy);
    temporary_directory place, traces;
    mana::control_test::job::options o{{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1}, {1, 2, 3, 8}}};
    o.clock_trace = traces.path();
    o.clock = policy;
    o.fan_out = 2;
    {
      mana::control_test::job j(place.path(), o, [](mana::control_test::rank& r) {
        while (r.go_on()) {
          r.barrier();
          if (r.number() < 2) r.barrier(1);
          r.compute();
        }
      });
      for (int i = 0; i < 10; ++i) request_checkpoint(j.directory(), false, 60);
      j.finish();
    }
    const report r = check_directory(traces.path());
    for (const violation& v : r.found) FAIL_CHECK(v.describe());
    CHECK(r.files == (combines(policy) ? 14 : 10));
    CHECK(r.checked.lines == 10);
  }
}

TEST_CASE("several jobs in a directory are told apart") {
  const recorded_job one;
  recorded_job two({.seed = 2});
  for (const auto& file : traces_in(one.place.path()))
    std::filesystem::copy_file(file, two.place.path() / file.filename());
  CHECK(two.broken() == "");
  CHECK(two.check().checked.jobs == 2);
}

TEST_CASE("processes that were killed leave what is there, and perhaps a part of a record") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const recorded_job j({.killed = true, .seed = seed});
    std::ofstream(j.file(1), std::ios::app | std::ios::binary) << std::string("\x09\0\0\0\x14\x01", 6);
    CAPTURE(seed);
    CHECK(read_trace(j.file(1))->torn);
    CHECK(j.broken() == "");
  }
}

TEST_CASE("a process that was killed between a start and its verdict has started") {
  int cut = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const recorded_job j({.requests = 1, .give_up_some = false, .seed = seed});
    CAPTURE(seed);
    j.change(0, [&](records& r) {
      const auto begin = std::find_if(r.begin(), r.end(), [](const auto& x) { return type_of(x) == trace_record::begin; });
      const auto line = std::find_if(begin, r.end(), [](const auto& x) { return type_of(x) == trace_record::line; });
      const auto is_go = [](const auto& x) { return type_of(x) == trace_record::verdict && x.back() == static_cast<std::uint8_t>(mana::clock::verdict::go); };
      const auto last = std::find_if(std::make_reverse_iterator(line), std::make_reverse_iterator(begin), is_go);
      if (last == std::make_reverse_iterator(begin)) return;
      if (std::any_of(last.base(), r.end(), [](const auto& x) { return type_of(x) == trace_record::sent; })) return;
      r.erase(std::prev(last.base()), r.end());
      ++cut;
    });
    CHECK(j.broken() == "");
  }
  CHECK(cut > 0);
}

TEST_CASE("a file without a whole head says nothing") {
  const recorded_job j({.requests = 0});
  std::ofstream(j.place.path() / "clock-1-rank-9") << "";
  std::ofstream(j.place.path() / "clock-1-rank-8") << "\x40";
  CHECK(j.broken() == "");
}

TEST_CASE("rule whole") {
  recorded_job j;
  j.change(0, [](records& r) { r.insert(r.begin() + at(find(r, trace_record::begin)), bytes{0x77}); });
  CHECK(j.broken() == "whole");
  const recorded_job k;
  k.change(0, [](records& r) { r[find(r, trace_record::begin)].resize(5); });
  CHECK(k.broken() == "whole");
  const recorded_job l;
  l.change(0, [](records& r) { r.push_back(made(trace_record::line)); });
  l.change(0, [](records& r) { std::swap(r[r.size() - 2], r[r.size() - 1]); });
  CHECK(l.broken() == "sent");  // closed stands last again, and nobody sent this line
  const recorded_job m;
  std::ofstream(m.file(0), std::ios::binary) << std::string("\0\0\0\0", 4);
  CHECK(m.broken() == "whole");
  const recorded_job n;
  n.change(0, [](records& r) { r.push_back(made(trace_record::end)); });
  CHECK(n.broken() == "whole");
}

TEST_CASE("rule one_job") {
  const recorded_job j;
  std::filesystem::copy_file(j.file(0), j.place.path() / "clock-again");
  CHECK(j.broken() == "one_job");
}

TEST_CASE("rule policy") {
  const recorded_job j;
  for (int r = -1; r < 3; ++r) {
    trace t = *read_trace(j.file(r));
    t.head.policy = "sundial";
    write_trace(j.file(r), t);
  }
  CHECK(j.broken() == "policy");
}

TEST_CASE("rule reproduced") {
  const recorded_job j;
  j.change(0, [](records& r) { r.erase(r.begin() + at(find(r, trace_record::sent))); });
  CHECK(j.broken() == "reproduced");
  const recorded_job k;  // a start that was held, before the line, would have gone
  k.change(0, [](records& r) { r[find(r, trace_record::verdict)][1] ^= 1; });
  CHECK(k.broken() == "reproduced");
  const recorded_job l;
  l.change(-1, [](records& r) { r[find(r, trace_record::current)][1] ^= 1; });
  CHECK(l.broken() == "reproduced");
}

TEST_CASE("rule sent") {
  const recorded_job j;
  j.change(-1, [](records& r) {
    const bytes last = r[find_last(r, trace_record::heard)];
    r.insert(r.end() - 1, last);
  });
  CHECK(j.broken() == "sent");
  const recorded_job k;
  std::filesystem::remove(k.file(1));
  CHECK(k.broken() == "sent");
  const recorded_job l;
  std::filesystem::remove(l.file(-1));
  CHECK(l.broken() == "sent");
}

TEST_CASE("rule in_order") {
  const recorded_job j;
  j.change(0, [](records& r) {
    const std::size_t first = find(r, trace_record::receive);
    std::swap(r[first], r[find(r, trace_record::receive, first + 1)]);
  });
  CHECK(j.broken() == "in_order");
}

TEST_CASE("rule equal_counts") {
  int found = 0;
  for (unsigned seed = 1; seed <= 20; ++seed)
    found +=
        recorded_job({.requests = 1, .give_up_some = false, .seed = seed}, that_run_on()).broken() == "equal_counts";
  CHECK(found > 0);
}

TEST_CASE("rule none_after_line") {
  const recorded_job j({.give_up_some = false});
  j.change(0, [](records& r) {
    std::size_t line = 0, after = 0;
    do {      // after some line a start is asked for
      line = find(r, trace_record::line, line + 1);
      after = find(r, trace_record::verdict, line);
    } while (after > find(r, trace_record::end, line));
    r[after][1] = static_cast<std::uint8_t>(verdict::go);
  });
  CHECK(j.broken() == "none_after_line");
}

TEST_CASE("rule once") {
  const recorded_job j({.requests = 1});
  const auto is_line = [](const bytes& r) {
    return is(r, trace_record::sent_to) && r.at(5) == static_cast<std::uint8_t>(frame_type::line);
  };
  j.change(-1, [&](records& r) {
    const auto first = std::find_if(r.begin(), r.end(), is_line);
    r.insert(first, *first);
  });
  CHECK(j.broken() == "once");
  const recorded_job k({.requests = 1});
  k.change(-1, [](records& r) {
    r.insert(r.begin(), made(trace_record::sent_to, [](frame_writer& w) { w.put(0).put(frame_type::line); }));
  });
  CHECK(k.broken() == "once");
}

TEST_CASE("rule heard") {
  const recorded_job j({.requests = 1});
  const auto lose_line = [](records& r) {
    const std::size_t line = find(r, trace_record::line), end = find(r, trace_record::end, line);
    r.erase(r.begin() + at(line), r.begin() + at(end));
  };
  j.change(0, lose_line);
  CHECK(j.broken() == "heard");
  const recorded_job killed({.requests = 1});
  killed.change(0, [&](records& r) {
    lose_line(r);
    r.erase(r.begin() + at(find(r, trace_record::end)), r.end());
  });
  CHECK(killed.broken() == "");
}

TEST_CASE("rule held") {
  const recorded_job j({.give_up_some = false});
  j.change(0, [](records& r) {
    const std::size_t line = find(r, trace_record::line);
    bytes& start = r[find(r, trace_record::start, line)];
    ++start.at(1 + 16);  // the count, behind the clock's name
  });
  CHECK(j.broken() == "held");
}

TEST_CASE("relays follow the rules too") {
  const simulation::options tree{.ranks = 5, .fan_out = 2};
  constexpr int relay = 5;  // behind those of the ranks: process 1's
  const auto broken_by = [&](const std::function<void(records&)>& change) {
    const recorded_job j(tree);
    j.change(relay, change);
    return j.broken();
  };
  CHECK(broken_by([](records&) {}) == "");
  CHECK(broken_by([](records& r) { r.erase(r.begin() + at(find(r, trace_record::sent))); }) == "reproduced");
  CHECK(broken_by([](records& r) {
    std::size_t settled = find(r, trace_record::settle);
    while (!is(r[settled + 1], trace_record::sent)) settled = find(r, trace_record::settle, settled + 1);
    r.erase(r.begin() + at(settled));
  }) == "reproduced");
  CHECK(broken_by([](records& r) { r[find(r, trace_record::current)][1] ^= 1; }) == "reproduced");
  CHECK(broken_by([](records& r) {
    const std::size_t first = find(r, trace_record::receive);
    std::swap(r[first], r[find(r, trace_record::receive, first + 1)]);
  }) == "in_order");
  CHECK(broken_by([](records& r) { r.insert(r.end() - 1, r[find_last(r, trace_record::heard)]); }) == "sent");
  CHECK(broken_by([](records& r) {
    r.insert(r.begin(), made(trace_record::sent_to, [](frame_writer& w) { w.put(0).put(frame_type::line); }));
  }) == "once");
  CHECK(broken_by([](records& r) { r.insert(r.begin(), bytes{0x77}); }) == "whole");

  const recorded_job lacking(tree);
  std::filesystem::remove(lacking.file(relay));
  CHECK(lacking.broken() == "sent");
  const recorded_job nowhere(tree), of_another_tree(tree);
  trace t = *read_trace(nowhere.file(relay));
  t.head.rank = trace_head::relay_of(2);  // a leaf
  write_trace(nowhere.file(relay), t);
  CHECK(nowhere.broken() == "whole");
  t.head.rank = trace_head::relay_of(1);
  t.head.fan_out = 3;
  write_trace(of_another_tree.file(relay), t);
  CHECK(of_another_tree.broken() == "one_job");
}
