#include <runtime/job/save/idle_cores.hpp>

#include <doctest/doctest.h>

namespace job_idle_cores_tests {

using mana::job::packing_share;

TEST_CASE("a rank packs by its share of the cores that its program leaves idle") {
  CHECK(packing_share(8, 2, 8, 0) == 4);
  CHECK(packing_share(8, 3, 8, 0) == 2);
  CHECK(packing_share(8, 2, 8, 1) == 3);
  CHECK(packing_share(8, 2, 8, 4) == 1);
}

TEST_CASE("a writer that is bound to a core packs alone") {
  CHECK(packing_share(8, 2, 1, 0) == 1);
  CHECK(packing_share(8, 2, 3, 0) == 3);
}

TEST_CASE("one thread packs at least, and not more than can be fed") {
  CHECK(packing_share(2, 2, 2, 0) == 1);
  CHECK(packing_share(2, 4, 2, 0) == 1);
  CHECK(packing_share(4, 2, 4, 64) == 1);
  CHECK(packing_share(0, 0, 0, 0) == 1);
  CHECK(packing_share(1024, 1, 1024, 0) == mana::job::most_packing);
}

}  // namespace job_idle_cores_tests
