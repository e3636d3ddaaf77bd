// Destructors of static and thread-local objects that run after MPI_Finalize: each asks MPI whether it is over. Rank 1
// has more.
// ranks: 2
#include "pair.h"

#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <thread>

static int order;
struct at_end {
  int number;
  explicit at_end(int which) : number(which) {}
  ~at_end() {
    int over = 0;
    MPI_Finalized(&over);
    if (!over || number != order--) _exit(70 + number);              // the status is all that is left to tell by
  }
};
static at_end first(1);
static at_end& second() {
  static at_end object(2);
  return object;
}
static std::map<std::string, std::unique_ptr<at_end>>& table() {
  static std::map<std::string, std::unique_ptr<at_end>> all;
  return all;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  order = 1;
  CHECK(first.number == 1);
  line();
  if (me == 1) second(), ++order;
  std::thread([] { thread_local std::string text = "of a thread"; CHECK(text.size() == 11); }).join();
  line();
  if (me == 1) table()["third"] = std::make_unique<at_end>(3), ++order;
  CHECK(order == (me == 1 ? 3 : 1), "%d", order);
  return finish();
}
