// Epochs of windows as data: what may follow what.
#include <mana/object/win/epoch.hpp>

#include <doctest/doctest.h>

namespace win_epoch_tests {

using namespace mana;
using namespace mana::object;

constexpr int sync = neutral::err_rma_sync, ok = neutral::success;

TEST_CASE("operations need an access epoch, and their target in it") {
  win_epochs e;
  CHECK(use_epoch(e, 0) == sync);
  begin_fence(e, true);
  CHECK(use_epoch(e, 0) == ok);
  CHECK(e.access == access_epoch::fence);
  begin_fence(e, false);
  CHECK(use_epoch(e, 0) == sync);
  CHECK(begin_start(e) == ok);
  CHECK(use_epoch(e, 0) == sync);
  CHECK(use_epoch(e, target_bit::started) == ok);
  end_access(e);
  CHECK(begin_lock(e, 0) == ok);
  CHECK(use_epoch(e, 0) == sync);
  CHECK(use_epoch(e, target_bit::shared) == ok);
}

TEST_CASE("an epoch of a fence gives way to others until an operation uses it") {
  win_epochs e;
  begin_fence(e, true);
  CHECK(begin_lock(e, 0) == ok);
  end_lock(e);
  CHECK(use_epoch(e, 0) == sync);
  CHECK(may_fence(e) == ok);
  begin_fence(e, true);
  CHECK(use_epoch(e, 0) == ok);
  CHECK(begin_lock(e, 0) == sync);
  CHECK(begin_start(e) == sync);
  CHECK(begin_lock_all(e, false) == sync);
  CHECK(may_free(e) == ok);
}

TEST_CASE("each epoch ends only as it began") {
  win_epochs e;
  CHECK(may_complete(e) == sync);
  CHECK(may_wait(e) == sync);
  CHECK(may_unlock(e, 0, false) == sync);
  CHECK(may_unlock_all(e) == sync);
  CHECK(may_flush(e, target_bit::locked) == sync);
  CHECK(begin_post(e) == ok);
  CHECK(begin_post(e) == sync);
  CHECK(may_fence(e) == sync);
  CHECK(may_free(e) == sync);
  end_exposure(e);
  CHECK(begin_lock_all(e, true) == ok);
  CHECK(e.all_unchecked);
  CHECK(begin_lock(e, 0) == sync);
  CHECK(may_flush(e, 0) == ok);
  CHECK(may_free(e) == sync);
  CHECK(may_unlock_all(e) == ok);
}

TEST_CASE("several targets are locked at once, each once") {
  win_epochs e;
  CHECK(begin_lock(e, 0) == ok);
  CHECK(begin_lock(e, 0) == ok);                         // another target
  CHECK(begin_lock(e, target_bit::exclusive) == sync);   // the same one
  CHECK(may_unlock(e, 0, true) == ok);                   // MPI_PROC_NULL
  end_lock(e);
  CHECK(e.access == access_epoch::lock);
  end_lock(e);
  CHECK(e.access == access_epoch::none);
}

TEST_CASE("exclusive locks share a place in the room, and the last one leaves it") {
  win_epochs e;
  CHECK(begin_writing(e));
  ++e.room_places;
  CHECK_FALSE(begin_writing(e));
  CHECK(end_writing(e) == 0);
  CHECK(end_writing(e) == 1);
  CHECK(begin_writing(e));
  CHECK(begin_writing(e));             // a thread that asks before the other one's place is granted
  e.room_places += 2;
  CHECK(end_writing(e) == 0);
  CHECK(end_writing(e) == 2);
  CHECK(e.room_places == 0);
}

}  // namespace win_epoch_tests
