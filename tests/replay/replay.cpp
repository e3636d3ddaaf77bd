#include "replay.hpp"

#include "owners.hpp"

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
  void add(const trace& t, const makers& make, totals& all);
  std::vector<link*> links_of(int process);
  void run();
  void check_lines() const;
  void check_counts(request_number number, std::size_t record) const;
  void check_heard() const;
  std::size_t ranks() const { return static_cast<std::size_t>(head_.ranks); }

  const trace_head head_;
  const bool combines_;
  std::vector<link> of_ranks_;       // from each rank upwards
  std::map<int, link> of_relays_;    // by process
  std::map<int, std::unique_ptr<rank_part>> ranks_;
  std::map<int, std::unique_ptr<relay_part>> relays_;     // by process
  std::unique_ptr<coordinator_part> coordinator_;
  std::vector<part*> parts_;         // all of them
};

bool combines(const trace& t) {
  try {
    return mana::control::combines(t.head.policy);
  } catch (const std::invalid_argument& error) { throw violation{t.file, 0, rule::policy, error.what()}; }
}

void check_head(const trace& t, const trace& first) {
  const auto fail = [&t](rule broken, const std::string& text) { throw violation{t.file, 0, broken, text}; };
  constexpr int most_ranks = 1 << 20;
  const trace_head& head = t.head;
  if (head.ranks < 1 || head.ranks > most_ranks || head.rank < trace_head::relay_of(head.ranks - 1) ||
      head.rank >= head.ranks || !mana::clock::is_fan_out(head.fan_out))
    fail(rule::whole, "the head names a rank, or a relay, that cannot be");
  if (head.policy != first.head.policy || head.ranks != first.head.ranks || head.fan_out != first.head.fan_out)
    fail(rule::one_job, "another policy, tree, or number of ranks, than in " + first.file);
}

job::job(const std::vector<trace>& traces, const makers& make, totals& all)
    : head_((check_head(traces.front(), traces.front()), traces.front().head)),
      combines_(combines(traces.front())),
      of_ranks_(ranks()) {
  for (const trace& t : traces) {
    check_head(t, traces.front());
    add(t, make, all);
  }
  if (coordinator_ != nullptr) parts_.push_back(coordinator_.get());
  for (const auto& [process, p] : relays_) parts_.push_back(p.get());
  for (const auto& [rank, p] : ranks_) parts_.push_back(p.get());
}

void job::add(const trace& t, const makers& make, totals& all) {
  const int rank = t.head.rank, process = -1 - rank;
  const bool is_second = rank >= 0       ? ranks_.contains(rank)
                         : process == 0 ? coordinator_ != nullptr
                                        : relays_.contains(process);
  if (is_second) throw violation{t.file, 0, rule::one_job, "a second trace of this part of the job"};
  if (rank >= 0) {
    ranks_[rank] = std::make_unique<rank_part>(t, of_ranks_[static_cast<std::size_t>(rank)], make, all);
  } else if (process == 0) {
    coordinator_ = std::make_unique<coordinator_part>(t, links_of(0), make, all);
  } else if (!combines_ || mana::clock::place_of(process, head_.ranks, head_.fan_out).range.size() == 1) {
    throw violation{t.file, 0, rule::whole, "this process has no relay"};
  } else {
    relays_[process] = std::make_unique<relay_part>(t, links_of(process), of_relays_[process], make, all);
  }
}

/// Of a policy that does not combine, the coordinator has one for each rank.
std::vector<link*> job::links_of(int process) {
  std::vector<link*> found;
  if (!combines_) {
    for (link& l : of_ranks_) found.push_back(&l);
    return found;
  }
  const auto range = mana::clock::place_of(process, head_.ranks, head_.fan_out).range;
  for (const auto& to : mana::clock::links_of(range, head_.fan_out))
    found.push_back(to.size() == 1 ? &of_ranks_[static_cast<std::size_t>(to.first)] : &of_relays_[to.first]);
  return found;
}

void job::run() {
  for (bool moved = true; moved;) {
    moved = false;
    for (part* const p : parts_)
      while (p->step()) moved = true;
  }
  // Whose partner has come to its end is the one to look at; the others may wait for it only.
  const part* waits = nullptr;
  for (const part* const p : parts_) {
    if (p->at_end()) continue;
    const link& over = p->awaited();
    const part* const partner = over.above == p ? over.below : over.above;
    if (waits == nullptr || partner == nullptr || partner->at_end()) waits = p;
    if (partner == nullptr || partner->at_end()) break;
  }
  if (waits != nullptr) waits->fail(rule::sent, "nobody has sent it");
}

void job::check() {
  run();
  if (coordinator_ != nullptr) check_lines();
  check_heard();
}

void job::check_lines() const {
  for (const auto& [number, line] : coordinator_->declared) {
    if (line.told.size() != coordinator_->links().size() && coordinator_->is_whole())
      throw violation{coordinator_->file(), line.record, rule::once, "not all links are told of the line"};
    check_counts(number, line.record);
  }
}

void job::check_counts(request_number number, std::size_t record) const {
  std::map<group_name, mana::clock::rank_set> members;
  std::vector<counts> now;
  for (int r = 0; r < head_.ranks; ++r) {
    const auto found = ranks_.find(r);
    if (found == ranks_.end() || !found->second->past.contains(number))
      throw violation{coordinator_->file(), record, rule::equal_counts,
                      "the line of request " + std::to_string(number) + ", which not all ranks have begun"};
    const rank_part::quiesce& q = found->second->past.at(number);
    members.insert(q.members.begin(), q.members.end());
    now.push_back(found->second->now_of(number));
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
  const auto check = [](const link& over) {
    if (over.above == nullptr || over.below == nullptr || !over.above->is_whole() || !over.below->is_whole()) return;
    for (const bytes& m : over.down) {
      const auto type = static_cast<frame_type>(m.at(0));
      if (type == frame_type::requested) continue;
      const std::string what = type == frame_type::line ? "a line" : "a message";
      throw violation{over.below->file(), over.below->place(), rule::heard, what + " that was sent is never heard"};
    }
  };
  for (const link& over : of_ranks_) check(over);
  for (const auto& [process, over] : of_relays_) check(over);
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
