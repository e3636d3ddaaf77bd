// Coroutines of C++20: generators that are suspended at the lines, one inside of another, with locals that have
// destructors.
// flags: -std=c++20
#include "fidelity.h"

#include <coroutine>
#include <exception>
#include <string>
#include <utility>

static int destroyed;
struct noticed {
  std::string text;
  ~noticed() { ++destroyed; }
};

template <typename Value>
class generator {
 public:
  struct promise_type {
    Value value;
    std::exception_ptr error;
    generator get_return_object() { return generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(Value v) { value = std::move(v); return {}; }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  explicit generator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  generator(generator&& from) noexcept : handle_(std::exchange(from.handle_, nullptr)) {}
  ~generator() { if (handle_) handle_.destroy(); }
  bool next() {
    handle_.resume();
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return !handle_.done();
  }
  const Value& value() const { return handle_.promise().value; }

 private:
  std::coroutine_handle<promise_type> handle_;
};

static generator<int> squares(int from) {
  noticed local{"a text that needs memory of its own, as it is long"};
  for (int i = from;; ++i) {
    if (local.text.size() != 50) throw 1;
    co_yield i * i;
  }
}
static generator<std::string> texts() {
  auto numbers = squares(3);
  for (int i = 0; i < 4; ++i) {
    numbers.next();
    if (i == 2) line();
    co_yield "<" + std::to_string(numbers.value()) + ">";
  }
  throw std::string("at the end");
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  {
    auto all = texts();
    CHECK(all.next() && all.value() == "<9>");
    line();
    CHECK(all.next() && all.value() == "<16>");
    CHECK(all.next() && all.value() == "<25>", "%s", all.value().c_str());
    CHECK(lines_met == 2 && destroyed == 0, "%d", destroyed);
    CHECK(all.next() && all.value() == "<36>");
    try {
      all.next();
      CHECK(!"thrown");
    } catch (const std::string& text) {
      CHECK(text == "at the end");
    }
  }
  CHECK(destroyed == 1, "%d", destroyed);
  return finish();
}
