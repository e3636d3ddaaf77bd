#include "members.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define MANA_TEST_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MANA_TEST_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef MANA_TEST_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

using namespace mana::redundancy;

namespace {

/// A stack that a thread runs on. The address sanitizer has to be told of every change.
struct fiber {
  ucontext_t context{};
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* shadow = nullptr;
};

/// ends: `from` is never entered again
void change([[maybe_unused]] fiber& from, fiber& to, [[maybe_unused]] bool ends = false) {
#ifdef MANA_TEST_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(ends ? nullptr : &from.shadow, to.bottom, to.bytes);
#endif
  swapcontext(&from.context, &to.context);
#ifdef MANA_TEST_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(from.shadow, nullptr, nullptr);
#endif
}

/// The first thing on a new stack. from: the one before it
void arrive([[maybe_unused]] fiber& from) {
#ifdef MANA_TEST_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &from.bottom, &from.bytes);
#endif
}

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
          change(main_, m->stack);
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
      change(members_[to]->stack, main_);
    }
    moved_ = true;
    if (box.front().size() != bytes.size()) throw std::logic_error("a message of another size than is expected");
    if (!bytes.empty()) std::memcpy(bytes.data(), box.front().data(), bytes.size());
    result_.received_bytes[to] += bytes.size();
    box.pop_front();
  }

 private:
  struct member {
    member(simulation& all, unsigned i) : number(i), link(all, i), memory(new char[stack_bytes]) {}
    unsigned number;
    simulated_link link;
    std::unique_ptr<char[]> memory;
    fiber stack;
    bool done = false;
  };

  void start(unsigned i) {
    members_.push_back(std::make_unique<member>(*this, i));
    fiber& stack = members_.back()->stack;
    stack.bottom = members_.back()->memory.get();
    stack.bytes = stack_bytes;
    getcontext(&stack.context);
    stack.context.uc_stack.ss_sp = members_.back()->memory.get();
    stack.context.uc_stack.ss_size = stack_bytes;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&stack.context, reinterpret_cast<void (*)()>(&enter), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
  }

  static void enter(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<simulation*>(std::uintptr_t{high} << 32 | low);
    arrive(self->main_);
    member& m = *self->current_;
    self->work_of(m);
    change(m.stack, self->main_, true);
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
  fiber main_;
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
