// Functions that mana refuses: an error by name, before anything is looked at.
#include "samples.hpp"

#include <every_function.hpp>

#include <set>
#include <string>

namespace all_refused_tests {

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "every refused function returns MPI_ERR_UNSUPPORTED_OPERATION, and says why once") {
  std::size_t refused = 0;
  for_each_function([&]<class Fn, class... A>(int (*function)(A...)) {
    if constexpr (Fn::form == shape::refuse) {
      INFO(std::string(Fn::name));
      for (int time = 0; time < 2; ++time) check_error(call_with_zeros(function), MPI_ERR_UNSUPPORTED_OPERATION);
      REQUIRE(notes().size() == ++refused);
      CHECK(notes().back() == "rank 1: " + std::string(Fn::name) + " is refused: " + Fn::why +
                                  "; the program gets an error code");
    }
  });
  CHECK(refused > 60);
}

}  // namespace all_refused_tests
