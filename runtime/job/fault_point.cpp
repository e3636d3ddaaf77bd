#include <runtime/job/fault_point.hpp>

#include <runtime/job/start_failure.hpp>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace mana::job {

namespace {

[[noreturn]] void refuse(const std::string& word, const std::string& what) {
  std::string names;
  for (const fault::row& r : fault::table) names += std::string(names.empty() ? "" : ", ") + r.name;
  throw start_failure(exit_status::usage, "MANA_FAULT: \"" + word + "\": " + what, "the fault points are: " + names,
                      met_by::all);
}

const fault::row* row_named(const std::string& name) noexcept {
  const auto at = std::find_if(fault::table.begin(), fault::table.end(), [&](const fault::row& r) { return name == r.name; });
  return at == fault::table.end() ? nullptr : &*at;
}

wanted_fault parse_fault(const std::string& word) {
  wanted_fault wanted;
  const std::size_t equals = std::min(word.find('='), word.size());
  if (equals < word.size()) {
    const std::string act = word.substr(equals + 1);
    if (act != "hold" && act != "wait") refuse(word, "after \"=\" only hold and wait are valid");
    wanted.act = act == "hold" ? fault_act::stop : fault_act::wait;
  }
  const std::size_t at = std::min(word.find('@'), equals);
  const fault::row* const found = row_named(word.substr(0, at));
  if (found == nullptr) refuse(word, "there is no such fault point");
  wanted.at = found->at;
  if (at == equals) return wanted;
  const char* const end = word.data() + equals;
  const auto [stop, error] = std::from_chars(word.data() + at + 1, end, wanted.rank);
  if (error != std::errc() || stop != end || wanted.rank < 0) refuse(word, "after \"@\" a rank is expected");
  if (found->comes_there == fault::who::coordinator && wanted.rank != 0)
    refuse(word, "only the coordinator reaches it, in the process of rank 0");
  return wanted;
}

/// The faults of this process, and the FIFO to which it reports a wait. Never freed: threads come here until the
/// process ends.
struct armed {
  struct fault : wanted_fault {
    bool is_over = false;
  };
  std::vector<fault> faults;
  std::string pipe;
  int rank = 0;
};
armed* here = nullptr;

void tell(const char* name) noexcept {
  const std::string line = std::string(name) + " " + std::to_string(here->rank) + " " + std::to_string(getpid()) + "\n";
  const int fd = open(here->pipe.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return say("mana: error: MANA_FAULT_PIPE: " + here->pipe + ": " + std::strerror(errno));
  if (write(fd, line.data(), line.size()) < 0) say("mana: error: MANA_FAULT_PIPE: " + std::string(std::strerror(errno)));
  close(fd);
}

void await_test() noexcept {
  const std::string name = here->pipe + ".go";
  int fd = -1;
  do fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) return say("mana: error: MANA_FAULT_PIPE: " + name + ": " + std::strerror(errno));
  close(fd);
}

/// A thread that comes here again after a wait continues.
void on_point(fault::point p) noexcept {
  for (armed::fault& wanted : here->faults) {
    if (wanted.at != p) continue;
    if (wanted.act == fault_act::die) kill(getpid(), SIGKILL);
    if (__atomic_exchange_n(&wanted.is_over, true, __ATOMIC_ACQ_REL)) continue;
    tell(fault::row_of(p).name);
    if (wanted.act == fault_act::stop) kill(getpid(), SIGSTOP);
    else await_test();
  }
}

}  // namespace

std::vector<wanted_fault> parse_faults(const std::string& text) {
  std::vector<wanted_fault> found;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    found.push_back(parse_fault(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return found;
}

void arm_fault_points() {
  const char* const text = std::getenv("MANA_FAULT");
  if (text == nullptr || *text == '\0') return;
  const int rank = rank_from_environment();
  auto mine = parse_faults(text);
  std::erase_if(mine, [rank](const wanted_fault& w) { return w.rank >= 0 && w.rank != rank; });
  if (mine.empty()) return;
  const char* const pipe = std::getenv("MANA_FAULT_PIPE");
  const bool any_held = std::any_of(mine.begin(), mine.end(), [](const wanted_fault& w) { return w.act != fault_act::die; });
  if (any_held && pipe == nullptr) refuse(text, "hold and wait need the name of a FIFO in MANA_FAULT_PIPE");
  here = new armed{{}, pipe == nullptr ? "" : pipe, rank};
  for (const wanted_fault& w : mine) here->faults.push_back({w, false});
  fault::listener.store(on_point, std::memory_order_release);
}

void fault_point_named(const char* name) noexcept {
  if (fault::listener.load(std::memory_order_acquire) == nullptr) return;
  const fault::row* const found = row_named(name);
  if (found == nullptr) std::abort();
  fault_point(found->at);
}

}  // namespace mana::job
