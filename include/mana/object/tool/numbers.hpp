// Numbers of MPI_T's variables and categories. Until a restart they are the live library's. The library of a restart
// may use other numbers for the same things, and may have more or fewer of them: numbers that the program knows stay
// valid.
// INV-65 a number that MPI_T gave means the same name forever, and how many there are never gets less.
// Because: the table only grows, names are noted when a number is first known, and a restart only changes what is live.
// Checked: tests/unit/wrappers/tool_numbers.cpp, tests/mpi/programs/mpi_t.c, "INV-65".
#pragma once
#include <climits>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace mana::object {

/// A number that no library has. A negative one would not do: Open MPI 4.1 does not check for it.
inline constexpr int no_number = INT_MAX;

/// Below: the live library's names. static int count(): how many it has; static std::string name(int live): unique
/// among them, empty if the library has unloaded the thing
template <class Below>
class told_numbers {
 public:
  /// The live library's number; no_number for a number that the program does not know, or that this library lacks.
  int live(int number, unsigned restarts) {
    update(restarts);
    if (number < 0 || static_cast<std::size_t>(number) >= live_.size()) return no_number;
    const int found = live_[at(number)];
    if (found < 0) return no_number;
    if (!has_name_[at(number)]) note_name(number, Below::name(found));
    return found;
  }
  /// The program's number for the live library's number. out: -1 for a thing that has no name now
  int told(int live, unsigned restarts) {
    update(restarts);
    if (live < 0 || static_cast<std::size_t>(live) >= told_.size()) return -1;
    if (told_[at(live)] < 0) adopt(live);
    return told_[at(live)];
  }
  int count(unsigned restarts) {
    update(restarts);
    return static_cast<int>(live_.size());
  }

 private:
  static std::size_t at(int number) noexcept { return static_cast<std::size_t>(number); }

  void update(unsigned restarts) {
    if (restarts != restarts_) {
      restarts_ = restarts;
      as_below_ = live_.empty();
      told_.clear();
      live_.assign(live_.size(), -1);
    }
    for (int n = Below::count(), i = static_cast<int>(told_.size()); i < n; ++i) {
      told_.push_back(-1);
      adopt(i);
    }
  }
  /// Gives the thing its former number, or a new one. A thing without a name gets a number later, unless the numbers
  /// are still the library's.
  void adopt(int live) {
    const std::string name = Below::name(live);
    const auto known = by_name_.find(name);
    if (name.empty() && !as_below_) return;
    int number = static_cast<int>(live_.size());
    if (!name.empty() && known != by_name_.end() && live_[at(known->second)] < 0) number = known->second;
    if (at(number) == live_.size()) {
      live_.push_back(-1);
      has_name_.push_back(false);
      note_name(number, name);
    }
    live_[at(number)] = live;
    told_[at(live)] = number;
  }
  void note_name(int number, const std::string& name) {
    if (name.empty()) return;
    has_name_[at(number)] = true;
    by_name_.emplace(name, number);                  // if two share a name, the first counts
  }

  unsigned restarts_ = 0;
  bool as_below_ = true;
  std::vector<int> live_;                            // indexed by the program's number; -1: the library lacks it
  std::vector<bool> has_name_;
  std::vector<int> told_;                            // indexed by the live library's number
  std::unordered_map<std::string, int> by_name_;     // values: the program's numbers
};

/// A category's members, in the program's numbers: in the live library's order, followed by the members that only later
/// libraries have.
class told_members {
 public:
  /// members: the live library's, in the program's numbers; -1 is skipped
  void add(const std::vector<int>& members) {
    for (const int one : members) {
      bool known = one < 0;
      for (const int other : all_) known |= other == one;
      if (!known) all_.push_back(one);
    }
  }
  int count() const noexcept { return static_cast<int>(all_.size()); }
  /// out: int[n], the first n
  void copy(int n, int* out) const noexcept {
    for (int i = 0; out != nullptr && i < n && i < count(); ++i) out[i] = all_[static_cast<std::size_t>(i)];
  }

 private:
  std::vector<int> all_;
};

}  // namespace mana::object
