#include "random_script.hpp"

namespace clock_test {

namespace {

class author {
 public:
  explicit author(std::mt19937& chance) : chance_(chance), ranks_(2 + below(4)), threads_(1 + below(3) / 2) {
    made_.programs.assign(index(ranks_), std::vector<program>(index(threads_)));
    wildcards_ = below(4) == 0;
    for (int groups = 1 + below(3); groups > 0; --groups) add_group();
  }

  /// A global order of events, cut into each thread's: always the first event that has not happened can happen. With
  /// wildcards that needs eager sends.
  script write() {
    for (int events = 3 + below(12); events > 0; --events) {
      if (below(2) == 0) add_collective();
      else add_message();
    }
    return wildcards_ ? made_ : with_swaps();
  }

 private:
  int below(int n) { return static_cast<int>(chance_() % static_cast<unsigned>(n)); }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  program& program_of(int rank, int thread) { return made_.programs[index(rank)][index(thread)]; }

  void add_group() {
    group members;
    while (members.size() < 2) {
      members = {};
      for (int r = 0; r < ranks_; ++r)
        if (below(2) == 0) members.push_back(r);
    }
    std::vector<int> users;      // the thread that uses it, by member
    for (std::size_t m = 0; m < members.size(); ++m) users.push_back(below(threads_));
    made_.groups.push_back(members);
    users_.push_back(users);
  }

  void add_collective() {
    const int g = below(static_cast<int>(made_.groups.size()));
    const char kind = "CCEI"[below(4)];
    const group& members = made_.groups[index(g)];
    std::size_t m = 0;
    for (const int rank : members) program_of(rank, users_[index(g)][m++]).push_back({kind, g});
  }

  void add_message() {
    const int from = below(ranks_), to = (from + 1 + below(ranks_ - 1)) % ranks_;
    const int sender = below(threads_), receiver = below(threads_);
    const char kind = !wildcards_ && below(2) == 0 ? 'Y' : 'S';
    program_of(from, sender).push_back({kind, to, receiver});
    program_of(to, receiver).push_back({wildcards_ ? 'A' : 'R', from, sender});
  }

  /// Neighbours change places where the programs still end. Without wildcards one schedule tells for all: what a step
  /// waits for stays true once it is.
  script with_swaps() {
    script changed = made_;
    for (int k = 0; k < 3; ++k) {
      program& p = changed.programs[index(below(ranks_))][index(below(threads_))];
      if (p.size() < 2) continue;
      const std::size_t i = index(below(static_cast<int>(p.size()) - 1));
      std::swap(p[i], p[i + 1]);
    }
    world w(changed);
    w.settle();
    return w.all_ended() ? changed : made_;
  }

  std::mt19937& chance_;
  int ranks_, threads_;
  bool wildcards_;
  script made_;
  std::vector<std::vector<int>> users_;    // by group, by member
};

}  // namespace

script random_script(std::mt19937& chance) { return author(chance).write(); }

}  // namespace clock_test
