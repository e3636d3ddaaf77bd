// A class of objects is what its own folder says: the loops over classes take this one as they take MPI's.
#include "class.hpp"

#include <checkpoint_of.hpp>
#include <full_table.hpp>
#include <running_mpi.hpp>

namespace toy_toy_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

template <class... K>
class_list<K..., toy::tally> with_tallies(class_list<K...>);
using classes = decltype(with_tallies(all_classes{}));

/// A checkpoint at the start of a barrier.
void go_through(outcome how) {
  raise_attention();
  expect<&services::clock_enter>().does([how](const lower::collective_start* start) {
    --start->clock->seq;
    return declare_line(how);
  });
  after_checkpoint([] { expect<&mpi_slots::MPI_Barrier>().gives(neutral::success); });
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
}

std::uint64_t number_in_inventory() { return lower::the_bridge().inventory[static_cast<unsigned>(toy::place)]; }

struct two_tallies {
  toy::handle first{}, second{};
  two_tallies() {
    CHECK(toy::create(&first) == MPI_SUCCESS);
    CHECK(toy::create(&second) == MPI_SUCCESS);
  }
  ~two_tallies() {
    CHECK(toy::free(&second) == MPI_SUCCESS);
    CHECK(toy::free(&first) == MPI_SUCCESS);
  }
};
toy::entry& entry_of(toy::handle h) { return *resolve<toy::tally>(h).e; }

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a class that a test makes: its objects are drained, counted, and built again in their order") {
  const checkpoint_of<classes> here;
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    INFO(std::string(way_names[static_cast<int>(how)]));
    two_tallies s;
    const auto below = expect_start<&mpi_slots::MPI_Ibarrier>();
    REQUIRE(toy::add(s.first, 5) == MPI_SUCCESS);
    const real<toy::tally> before = entry_of(s.first).real;
    go_through(how);
    CHECK(entry_of(s.first).what.value == 5);
    CHECK(!entry_of(s.first).what.pending);
    CHECK(number_in_inventory() == 2);
    CHECK((entry_of(s.first).real == before) == (how == outcome::resumes));
    CHECK(entry_of(s.first).real.bits() < entry_of(s.second).real.bits());
    check_live(toy::stand_in(entry_of(s.first)));
    check_live(toy::stand_in(entry_of(s.second)));
  }
}

TEST_CASE_FIXTURE(running_mpi, "a class that a test makes: where the checkpoint is given up, what was under way goes on") {
  const checkpoint_of<classes> here;
  two_tallies s;
  const auto below = expect_start<&mpi_slots::MPI_Ibarrier>();
  REQUIRE(toy::add(s.first, 5) == MPI_SUCCESS);
  go_through(outcome::is_given_up);
  CHECK(entry_of(s.first).what.pending == *below);
  complete(*below);
  CHECK(toy::look_after(entry_of(s.first)));
  CHECK(entry_of(s.first).what.value == 5);
}

TEST_CASE_FIXTURE(running_mpi, "a class that a test makes: its predefined object has a handle of each process") {
  app::add_predefined<class_list<toy::tally>>();
  const checkpoint_of<classes> here;
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    go_through(how);
    const resolved<toy::tally> found = resolve<toy::tally>(toy::nothing);
    CHECK(found.ok);
    CHECK(found.e == nullptr);
    CHECK(found.real == lower::predefined_of<toy::tally>(toy::nothing_code));
  }
}

TEST_CASE_FIXTURE(running_mpi, "a class that a test makes: its handles are of its own kind, and end") {
  two_tallies s;
  CHECK(!resolve<kind::info>(app::handle_of_bits<MPI_Info>(app::handle_bits(s.first))).ok);
  toy::handle stale{}, none{};
  REQUIRE(toy::create(&stale) == MPI_SUCCESS);
  toy::handle same = stale;
  CHECK(toy::free(&same) == MPI_SUCCESS);
  check_error(toy::add(stale, 1), MPI_ERR_ARG);
  const full_table<toy::tally> full;
  check_error(toy::create(&none), MPI_ERR_NO_MEM);
}

}  // namespace toy_toy_tests
