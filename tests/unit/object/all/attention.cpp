// A checkpoint at the start of each collective and each constructor: what is counted is taken back, the thread is saved, and
// the call is made with the handles of the process that goes on.
#include "samples.hpp"

#include <mana/app/argument.hpp>
#include <mana/object/comm/descriptor.hpp>
#include <mana/vid/group_clock.hpp>

#include <every_function.hpp>

namespace all_attention_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

void expect_checkpoint_at_start(outcome how) {
  raise_attention();
  expect<&services::clock_enter>().does([how](const lower::collective_start* start) {
    --start->clock->seq;                               // as the real one does when it takes the start back
    return declare_line(how);
  });
}

void succeeds(int rc) { CHECK(rc == MPI_SUCCESS); }

struct park_at_start {
  sample_objects& s;
  outcome how;
  int tried = 0;

  template <class Fn, class... A>
  void operator()(int (*function)(A...)) {
    if constexpr (Fn::form == shape::collective || Fn::form == shape::icollective || Fn::form == shape::pcollective) {
      INFO(std::string(Fn::name));
      ++tried;
      try_one<Fn>(function);
      CHECK(parks() == tried);
      CHECK(live_count(kind_code::request) == 0);
    }
  }
  template <class Fn, class... A>
  void try_one(int (*function)(A...)) {
    if constexpr (Fn::form == shape::collective) {
      expect_checkpoint_at_start(how);
      after_checkpoint([] { expect<Fn::slot>().gives(neutral::success); });      // a restart makes calls of its own
      succeeds(call_with_samples<Fn>(function, s));
      return;
    }
    if constexpr (Fn::form == shape::pcollective) {
      succeeds(call_with_samples<Fn>(function, s));
      expect_checkpoint_at_start(how);
      const auto started = expect_start<Fn::slot>();
      succeeds(MPI_Start(&s.request));
      complete(*started);
    } else if constexpr (Fn::form == shape::icollective) {
      expect_checkpoint_at_start(how);
      const auto started = expect_start<Fn::slot>();
      succeeds(call_with_samples<Fn>(function, s));
      complete(*started);
    }
    succeeds(MPI_Wait(&s.request, MPI_STATUS_IGNORE));
    if constexpr (Fn::form == shape::pcollective) succeeds(MPI_Request_free(&s.request));
  }
};

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "every collective, of every form, parks before it starts") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    INFO(std::string(way_names[static_cast<int>(how)]));
    running_mpi each;
    sample_objects s;
    always<&mpi_slots::MPI_Allreduce>().does(agree);
    park_at_start all{s, how};
    for_each_function(all);
    CHECK(all.tried > 60);
  }
}

TEST_CASE_FIXTURE(running_mpi, "every constructor of communicators parks before it starts; MPI_Comm_free is local, and not counted") {
  using call = int (*)(sample_objects&, MPI_Comm*);
  const call constructors[] = {
      [](sample_objects& s, MPI_Comm* made) { return MPI_Comm_dup(s.comm, made); },
      [](sample_objects& s, MPI_Comm* made) { return MPI_Comm_split(s.comm, 0, 0, made); },
      [](sample_objects& s, MPI_Comm* made) {
        return MPI_Comm_split_type(s.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made); },
      [](sample_objects& s, MPI_Comm* made) {
        const int keep[] = {1, 0};
        return MPI_Cart_sub(s.comm, keep, made); },
      [](sample_objects& s, MPI_Comm* made) {
        const int n[] = {4};
        return MPI_Cart_create(s.comm, 1, n, n, 0, made); },
      [](sample_objects& s, MPI_Comm* made) {
        MPI_Group all = MPI_GROUP_NULL;
        MPI_Comm_group(s.comm, &all);
        const int rc = MPI_Comm_create(s.comm, all, made);
        MPI_Group_free(&all);
        return rc; },
      [](sample_objects& s, MPI_Comm* made) {
        MPI_Group all = MPI_GROUP_NULL;
        MPI_Comm_group(s.comm, &all);
        const int rc = MPI_Comm_create_group(s.comm, all, 3, made);
        MPI_Group_free(&all);
        return rc; },
  };
  sample_objects s;
  int n = 0;
  for (const outcome how : {outcome::resumes, outcome::restarts})
    for (const call make_one : constructors) {
      INFO(n);
      MPI_Comm made = MPI_COMM_NULL;
      expect_checkpoint_at_start(how);
      CHECK(make_one(s, &made) == MPI_SUCCESS);
      CHECK(parks() == ++n);
      REQUIRE(made != MPI_COMM_NULL);
      const vid::group_clock& clock = *resolve<kind::comm>(made).e->what.clock;
      const std::uint64_t counted = clock.seq.load();
      CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
      CHECK(clock.seq.load() == counted);
    }
}

}  // namespace all_attention_tests
