#include "members.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

using namespace mana::redundancy;

namespace {

constexpr std::size_t stack_bytes = 256u << 10;

class simulation;

class simulated_link final : public transport {
 public:
  simulated_link(simulation& all, unsigned own) : all_(all), own_(own) {}
  void exchange(std::span<const outgoing> out, std::span<const incoming> in) override;

 private:
  simulation& all_;
  unsigned own_;
};

struct deadlock_error : std::runtime_error { using std::runtime_error::runtime_error; };

class simulation {
 public:
  simulation(unsigned count, const std::function<void(unsigned, transport&)>& work) : work_(work) {
    result_.errors.resize(count);
    result_.thrown.resize(count);
    result_.received_bytes.resize(count);
    for (unsigned i = 0; i < count; ++i) start(i);
  }

  outcome run() {
    while (!std::all_of(members_.begin(), members_.end(), [](const auto& m) { return m->done; })) {
      moved_ = false;
      for (auto& m : members_)
        if (!m->done) {
          current_ = m.get();
          swapcontext(&main_, &m->context);
        }
      if (!moved_) result_.deadlock = true;
    }
    for (const auto& [pair, messages] : boxes_) result_.left_over += messages.size();
    return result_;
  }

  void put(unsigned from, unsigned to, std::span<const std::byte> bytes) {
    result_.most_bytes = std::max(result_.most_bytes, bytes.size());
    boxes_[{from, to}].emplace_back(bytes.begin(), bytes.end());
  }

  void take(unsigned from, unsigned to, std::span<std::byte> bytes) {
    auto& box = boxes_[{from, to}];
    while (box.empty()) {
      if (result_.deadlock) throw deadlock_error("deadlock");
      swapcontext(&members_[to]->context, &main_);
    }
    moved_ = true;
    if (box.front().size() != bytes.size()) throw std::logic_error("a message of another size than is expected");
    if (!bytes.empty()) std::memcpy(bytes.data(), box.front().data(), bytes.size());
    result_.received_bytes[to] += bytes.size();
    box.pop_front();
  }

 private:
  struct member {
    member(simulation& all, unsigned i) : number(i), link(all, i), stack(new char[stack_bytes]) {}
    unsigned number;
    simulated_link link;
    std::unique_ptr<char[]> stack;
    ucontext_t context{};
    bool done = false;
  };

  void start(unsigned i) {
    members_.push_back(std::make_unique<member>(*this, i));
    ucontext_t& context = members_.back()->context;
    getcontext(&context);
    context.uc_stack.ss_sp = members_.back()->stack.get();
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = &main_;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context, reinterpret_cast<void (*)()>(&enter), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
  }

  static void enter(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<simulation*>(std::uintptr_t{high} << 32 | low);
    self->work_of(*self->current_);
  }

  void work_of(member& m) {
    try {
      work_(m.number, m.link);
    } catch (const std::exception& error) {
      result_.errors[m.number] = error.what();
      result_.thrown[m.number] = std::current_exception();
    }
    m.done = true;
    moved_ = true;
  }

  const std::function<void(unsigned, transport&)>& work_;
  std::vector<std::unique_ptr<member>> members_;
  std::map<std::pair<unsigned, unsigned>, std::deque<std::vector<std::byte>>> boxes_;
  ucontext_t main_{};
  member* current_ = nullptr;
  bool moved_ = false;
  outcome result_;
};

void simulated_link::exchange(std::span<const outgoing> out, std::span<const incoming> in) {
  for (const outgoing& message : out) all_.put(own_, message.member, message.bytes);
  for (const incoming& message : in) all_.take(message.member, own_, message.bytes);
}

}  // namespace

bool outcome::all_well() const {
  return !deadlock && left_over == 0 && std::all_of(errors.begin(), errors.end(), [](auto& e) { return e.empty(); });
}

bool outcome::all_failed() const {
  return !deadlock && left_over == 0 && std::none_of(errors.begin(), errors.end(), [](auto& e) { return e.empty(); });
}

outcome run_members(unsigned count, const std::function<void(unsigned, transport&)>& work) {
  return simulation(count, work).run();
}
