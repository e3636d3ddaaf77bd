// Objects that live until the end of the program, and of a thread: each is destroyed once, after MPI_Finalize.
#include "fidelity.h"

#include <map>
#include <memory>
#include <string>
#include <thread>

static int made, gone;
struct object {
  std::string text = std::string(100, 'x');
  object() { ++made; }
  ~object() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (me == 0) std::printf("object %d of %d goes, MPI is %s\n", ++gone, made, finalized ? "finalized" : "there"), std::fflush(stdout);
  }
};
struct in_thread {
  int value = 5;
  ~in_thread() { if (me == 0) std::printf("the thread's object goes with %d\n", value), std::fflush(stdout); }
};
static object global;
static thread_local in_thread local;
static object& late() { static object one; return one; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static std::map<int, std::unique_ptr<object>> many;
  many[1] = std::make_unique<object>();
  local.value = 6;
  line();
  late().text[99] = 'y';
  std::thread{[] { local.value = 7; }}.join();
  line();
  CHECK(global.text == std::string(100, 'x') && late().text[99] == 'y' && many[1]->text.size() == 100 && local.value == 6);
  return finish();
}
