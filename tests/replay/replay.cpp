#include "replay.hpp"

#include <algorithm>
#include <stdexcept>

namespace clock_replay {

using mana::control::frame_type;

namespace {

/// The traces of one job: each process's in its order, messages when they have been sent.
class job {
 public:
  job(const std::vector<trace>& traces, const makers& make, totals& all);
  void check();

 private:
  void run();
  void check_lines() const;
  void check_counts(request_number number, std::size_t record) const;
  void check_heard() const;
  /// nullptr: it has left no trace
  const rank_part* rank(std::size_t r) const { return ranks_[r].get(); }

  std::vector<link> links_;
  std::vector<std::unique_ptr<rank_part>> ranks_;
  std::unique_ptr<coordinator_part> coordinator_;
};

job::job(const std::vector<trace>& traces, const makers& make, totals& all) {
  const trace_head& first = traces.front().head;
  constexpr int most_ranks = 1 << 20;
  for (const trace& t : traces) {
    const auto fail = [&t](rule broken, const std::string& text) { throw violation{t.file, 0, broken, text}; };
    if (t.head.ranks < 1 || t.head.ranks > most_ranks || t.head.rank < trace_head::coordinator ||
        t.head.rank >= t.head.ranks)
      fail(rule::whole, "the head names a rank that cannot be");
    if (t.head.policy != first.policy || t.head.ranks != first.ranks)
      fail(rule::one_job, "another policy, or number of ranks, than in " + traces.front().file);
    links_.resize(static_cast<std::size_t>(first.ranks));
    ranks_.resize(links_.size());
    const bool of_coordinator = t.head.rank == trace_head::coordinator;
    if (of_coordinator ? coordinator_ != nullptr : rank(static_cast<std::size_t>(t.head.rank)) != nullptr)
      fail(rule::one_job, "a second trace of this part of the job");
    try {
      if (of_coordinator) {
        coordinator_ = std::make_unique<coordinator_part>(t, links_, make, all);
      } else {
        const auto r = static_cast<std::size_t>(t.head.rank);
        ranks_[r] = std::make_unique<rank_part>(t, links_[r], make, all);
      }
    } catch (const std::invalid_argument& error) { fail(rule::policy, error.what()); }
  }
}

void job::run() {
  const auto as_far_as_it_goes = [](part* p) {
    bool moved = false;
    while (p != nullptr && p->step()) moved = true;
    return moved;
  };
  for (bool moved = true; moved;) {
    moved = as_far_as_it_goes(coordinator_.get());
    for (const auto& r : ranks_) moved = as_far_as_it_goes(r.get()) || moved;
  }
  // Whose partner has come to its end is the one to look at; the others may wait for it only.
  const bool coordinator_ended = coordinator_ == nullptr || coordinator_->at_end();
  for (const auto& r : ranks_)
    if (r != nullptr && !r->at_end() && coordinator_ended) r->fail(rule::sent, "the coordinator has not sent it");
  if (!coordinator_ended) coordinator_->fail(rule::sent, "the rank has not sent it");
}

void job::check() {
  run();
  if (coordinator_ == nullptr) return;
  check_lines();
  check_heard();
}

void job::check_lines() const {
  for (const auto& [number, line] : coordinator_->declared) {
    if (line.told.size() != ranks_.size() && coordinator_->is_whole())
      throw violation{coordinator_->file(), line.record, rule::once, "not all ranks are told of the line"};
    check_counts(number, line.record);
  }
}

void job::check_counts(request_number number, std::size_t record) const {
  std::map<group_name, mana::clock::rank_set> members;
  std::vector<counts> now;
  for (const auto& r : ranks_) {
    if (r == nullptr || !r->past.contains(number))
      throw violation{coordinator_->file(), record, rule::equal_counts,
                      "the line of request " + std::to_string(number) + ", which not all ranks have begun"};
    const rank_part::quiesce& q = r->past.at(number);
    members.insert(q.members.begin(), q.members.end());
    now.push_back(q.now);
  }
  for (const auto& [name, ranks] : members) {
    std::set<std::uint64_t> different;
    std::string text;
    for (const int r : ranks) {
      if (r < 0 || static_cast<std::size_t>(r) >= now.size()) continue;
      const auto& mine = now[static_cast<std::size_t>(r)];
      const auto found = mine.find(name);
      const std::uint64_t count = found == mine.end() ? 0 : found->second;
      different.insert(count);
      text += ", rank " + std::to_string(r) + ": " + std::to_string(count);
    }
    if (different.size() > 1)
      throw violation{coordinator_->file(), record, rule::equal_counts,
                      "at the line of request " + std::to_string(number) + ", clock " + std::to_string(name.ggid) +
                          "/" + std::to_string(name.check) + text};
  }
}

/// Nothing is lost between two that have ended well; a request that was given up may not have been begun.
void job::check_heard() const {
  for (std::size_t r = 0; r < links_.size(); ++r) {
    if (rank(r) == nullptr || !rank(r)->is_whole() || !coordinator_->is_whole()) continue;
    for (const bytes& m : links_[r].down) {
      const auto type = static_cast<frame_type>(m.at(0));
      if (type == frame_type::requested) continue;
      const std::string what = type == frame_type::line ? "a line" : "a message";
      throw violation{rank(r)->file(), rank(r)->place(), rule::heard, what + " that was sent is never heard"};
    }
  }
}

}  // namespace

report check_directory(const std::filesystem::path& directory, const makers& make) {
  report made;
  std::map<std::uint64_t, std::vector<trace>> jobs;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!entry.path().filename().string().starts_with("clock-")) continue;
    ++made.files;
    try {
      if (auto t = read_trace(entry.path())) jobs[t->head.job].push_back(std::move(*t));
    } catch (const violation& v) { made.found.push_back(v); }
  }
  for (auto& [number, traces] : jobs) {
    ++made.checked.jobs;
    std::sort(traces.begin(), traces.end(), [](const trace& a, const trace& b) { return a.file < b.file; });
    try {
      job(traces, make, made.checked).check();
    } catch (const violation& v) { made.found.push_back(v); }
  }
  return made;
}

}  // namespace clock_replay
