// What a checkpoint says of message queues.
#include "held_descriptors.hpp"

#include <mqueue.h>
#include <runtime/split/traps/descriptors/queue_notices.hpp>
#include <signal.h>
#include <unistd.h>

namespace descriptors_queues_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

TEST_CASE("a queue of which the program is to be told, nobody knows how, is warned of") {
  const std::string name = "/mana-unit-" + std::to_string(getpid());
  const int queue = mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600, nullptr);
  if (queue < 0) return;                       // this kernel has none
  mq_unlink(name.c_str());
  held_descriptors held;
  const int number = held.hold(queue);
  CHECK(held.taken().warnings.empty());
  sigevent event{};
  event.sigev_notify = SIGEV_NONE;
  REQUIRE(mq_notify(number, &event) == 0);
  const captured image = held.taken();
  REQUIRE(image.warnings.size() == 1);
  CHECK(image.warnings[0].find("mq_notify") != std::string::npos);
  mana::split::note_queue_notice({number, SIGEV_NONE, 0, 0});      // then it is kept
  CHECK(held.taken().warnings.empty());
  REQUIRE(mq_notify(number, nullptr) == 0);
  CHECK(held.taken().warnings.empty());
}

}  // namespace descriptors_queues_tests
