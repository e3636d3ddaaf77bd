// C++ objects across the lines: a stream in the middle of formatting, a locale, random engines, exceptions that are being
// handled, and a static object that is destroyed after MPI_Finalize.
#include "fidelity.h"

#include <exception>
#include <iomanip>
#include <iostream>
#include <locale>
#include <random>
#include <sstream>

struct grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};
struct last {
  std::string text = "destroyed at the very end, with a text of its own";
  ~last() { std::cout << text << std::endl; }
};
static last object;

int main(int argc, char** argv) {
  begin(&argc, &argv);
  std::ostringstream out;
  out.imbue(std::locale(std::locale(), new grouping));
  out << std::hex << std::showbase << std::setfill('*') << std::setw(10);
  std::mt19937_64 engine(42), same(42);
  std::normal_distribution<double> normal;
  std::random_device device;
  (void)normal(engine), (void)device();
  std::exception_ptr kept;
  try {
    throw std::runtime_error("handled over a line");
  } catch (...) {
    line();
    kept = std::current_exception();
    try { throw; } catch (const std::runtime_error& error) { CHECK(!strcmp(error.what(), "handled over a line")); }
  }
  out << 255 << std::dec << std::setw(12);
  (void)device();
  const double second = normal(engine);
  line();
  out << 1234567;
  CHECK(out.str() == "******0xff***1.234.567", "%s", out.str().c_str());
  std::normal_distribution<double> other;
  (void)other(same);
  CHECK(other(same) == second && engine == same && engine() == same());
  try { std::rethrow_exception(kept); } catch (const std::runtime_error&) { kept = nullptr; }
  CHECK(kept == nullptr && std::uncaught_exceptions() == 0);
  return finish();
}
