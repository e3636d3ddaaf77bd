// Streams of C++ in the middle of a line on rank 1, with formats of their own; rank 0 reads what they have written.
// ranks: 2
#include "pair.h"

#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  std::ofstream out;
  std::istringstream words("one 2 three 0x10");
  std::ostringstream text;
  if (me == 1) {
    out.open(in("stream"));
    out << "begun " << std::hex << std::showbase << std::setfill('*') << 255;
    text << std::fixed << std::setprecision(3) << std::showpos << 1.0 << ' ';
  }
  std::string word;
  int number = 0;
  words >> word;
  line();
  words >> number;
  CHECK(word == "one" && number == 2);
  if (me == 1) out << ' ' << std::setw(8) << 4096, text << 2.5 << ' ', out.flush();
  together();
  if (me == 0) {
    std::ifstream from(in("stream"));
    std::string whole;
    std::getline(from, whole);
    CHECK(whole == "begun 0xff **0x1000", "%s", whole.c_str());
  }
  together();
  line();
  words >> word >> std::hex >> number;
  CHECK(word == "three" && number == 16, "%d", number);
  if (me == 1) {
    out << ' ' << std::dec << 10 << std::endl, text << -1.0;
    CHECK(text.str() == "+1.000 +2.500 -1.000", "%s", text.str().c_str());
    out.close();
  }
  together();
  CHECK(holds("stream", "begun 0xff **0x1000 10\n"));
  leave_common_place();
  return finish();
}
