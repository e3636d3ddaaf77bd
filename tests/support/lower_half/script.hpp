// What one function of the lower half answers in a test: the answers that were expected, in order, and what was asked. The
// function is named by its member of mpi_slots or of services.
#pragma once
#include <mana/lower/neutral.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace mana::scripted {

/// What all scripts have in common: they are forgotten between tests, and say at the end what never came.
class script_base {
 public:
  std::string name;
  virtual void forget() = 0;
  virtual std::size_t expected() const = 0;

 protected:
  script_base() { all().push_back(this); }
  ~script_base() = default;

 public:
  /// Held to look at what is expected and what came.
  static std::recursive_mutex& books() {
    static std::recursive_mutex only;
    return only;
  }
  static std::vector<script_base*>& all() {
    static std::vector<script_base*> every;
    return every;
  }
};

/// A failure of the running test. Nothing is thrown: wrappers are noexcept.
inline void fail(const std::string& text) { FAIL_CHECK(text); }

/// The script of one function. Functions of one signature share its code: there are hundreds of them.
template <class Signature>
class script_of;

template <class R, class... A>
class script_of<R(A...)> final : public script_base {
 public:
  using action = std::function<R(A...)>;
  using arguments = std::tuple<A...>;

  void push(action answer, int times) {
    const std::lock_guard hold(books());
    steps_.push_back({std::move(answer), times});
  }
  /// What answers where nothing is expected. The stock's is found again by forget().
  void set_stock(action answer) { stock_ = always_ = std::move(answer); }
  void set_always(action answer) { always_ = std::move(answer); }
  /// What is looked at in every call, before it is answered.
  void set_check(std::function<void(const arguments&)> check) { check_ = std::move(check); }
  const std::vector<arguments>& calls() const { return calls_; }

  /// Expectations of what did not come, and was not needed.
  void drop_expected() { steps_.clear(); }
  void forget() override {
    steps_.clear();
    calls_.clear();
    always_ = stock_;
  }
  std::size_t expected() const override { return steps_.size(); }

  R play(A... a) {
    if (const action answer = next(a...)) return answer(a...);
    fail("unexpected call of the lower half's " + name);
    if constexpr (std::is_same_v<R, int>) return neutral::err_intern;
    else if constexpr (!std::is_void_v<R>) return R{};
  }

 private:
  struct step {
    action answer;
    int times;
  };
  /// What answers this call; empty: nothing. The books are locked, the answer is given without: it may wait for another thread.
  action next(A... a) {
    const std::lock_guard hold(books());
    calls_.emplace_back(a...);
    if (check_) check_(calls_.back());
    if (steps_.empty()) return always_;
    action answer = steps_.front().answer;
    if (--steps_.front().times == 0) steps_.erase(steps_.begin());
    return answer;
  }

  std::vector<step> steps_;
  std::vector<arguments> calls_;
  action stock_, always_;
  std::function<void(const arguments&)> check_;
};

template <auto Member, class Type = decltype(Member)>
struct script;

template <auto Member, class Table, class R, class... A>
struct script<Member, R (*Table::*)(A...)> {
  using signature = R(A...);
  using action = typename script_of<signature>::action;

  static script_of<signature>& instance() {
    static script_of<signature> only;
    return only;
  }
  /// What the table of the lower half has.
  static R called(A... a) { return instance().play(a...); }
};

/// The right-hand side of an expectation: expect<&services::send>().gives(0).
template <class Signature>
class expectation;

template <class R, class... A>
class expectation<R(A...)> {
 public:
  using action = typename script_of<R(A...)>::action;
  expectation(script_of<R(A...)>& whose, int times) : whose_(whose), times_(times) {}

  template <class Result>
  void gives(Result result) { give([result](A...) { return static_cast<R>(result); }); }
  /// Of a function without a result.
  void comes() { give([](A...) {}); }
  /// act: takes the call's arguments, or none
  template <class F>
  void does(F act) {
    if constexpr (std::is_constructible_v<action, F>) give(std::move(act));
    else give([act](A...) { return act(); });
  }

 private:
  void give(action answer) {
    if (times_ > 0) whose_.push(std::move(answer), times_);
    else whose_.set_always(std::move(answer));
  }
  script_of<R(A...)>& whose_;
  int times_;
};

/// The next calls of this function that no earlier expectation is for. The test fails if they never come.
template <auto Member>
auto expect(int times = 1) {
  return expectation<typename script<Member>::signature>(script<Member>::instance(), times);
}
/// All of its calls that nothing is expected of, until the test ends.
template <auto Member>
auto always() { return expect<Member>(0); }
/// The arguments of its calls since the test began.
template <auto Member>
const auto& calls() { return script<Member>::instance().calls(); }

}  // namespace mana::scripted
