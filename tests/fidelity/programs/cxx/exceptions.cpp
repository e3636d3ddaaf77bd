// Exceptions across lines: thrown after one below frames from before it, met while one is handled, kept and thrown again.
#include "fidelity.h"

#include <exception>
#include <stdexcept>
#include <string>

static int destroyed;
struct counted {
  ~counted() { ++destroyed; }
};

static void below(int depth) {
  const counted here;
  if (depth > 0) return below(depth - 1);
  line();
  throw std::runtime_error("from below");
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  std::exception_ptr kept;
  try {
    below(10);
    CHECK(!"reached");
  } catch (const std::runtime_error& error) {
    CHECK(destroyed == 11, "%d", destroyed);
    line();
    CHECK(std::string{error.what()} == "from below");
    kept = std::current_exception();
    try {
      throw;
    } catch (const std::exception& again) {
      CHECK(&again == &error);
    }
  }
  CHECK(std::uncaught_exceptions() == 0);
  try {
    std::rethrow_exception(kept);
  } catch (const std::exception& error) {
    CHECK(std::string{error.what()} == "from below");
  }
  return finish();
}
