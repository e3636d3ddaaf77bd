// A rank that means nothing in the program's mpi.h means nothing to the live MPI either, whose special ranks are other numbers:
// an error, wherever a rank is given.
#include "samples.hpp"

#include <every_function.hpp>

#include <mana/interpose/operands.hpp>

#include <algorithm>
#include <climits>
#include <optional>

namespace all_ranks_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

/// Negative numbers that this mpi.h gives no meaning, among them those of other mpi.h and of the boundary.
std::vector<int> ranks_without_meaning() {
  std::vector<int> found;
  for (int rank = -1; rank > -40; --rank) found.push_back(rank);
  found.insert(found.end(), {-32766, INT_MIN + 1, INT_MIN});
  std::erase_if(found, [](int r) { return r == MPI_ANY_SOURCE || r == MPI_PROC_NULL || r == MPI_ROOT; });
  return found;
}

bool has_meaning_below(int rank) {
  return rank >= 0 || rank == neutral::any_source || rank == neutral::proc_null || rank == neutral::root;
}

template <class Tuple>
inline constexpr bool takes_rank = false;
template <class... P>
inline constexpr bool takes_rank<std::tuple<P...>> =
    ((std::is_same_v<typename P::kind, kind::rank> && P::direction == dir::in && !P::is_array) || ...);

/// The root of each collective: the live MPI is to judge it, as it knows whether it counts there.
struct give_root {
  sample_objects& s;
  int& tried;

  template <class Fn, class... A>
  void operator()(int (*function)(A...)) {
    if constexpr (requires { Fn::slot; } && Fn::form != shape::manual && Fn::form != shape::refuse) {
      if constexpr (takes_rank<typename Fn::params::as_tuple>) try_one<Fn>(function);
    }
  }
  template <class Fn, class... A>
  void try_one(int (*function)(A...)) {
    INFO(std::string(Fn::name));
    ++tried;
    std::optional<int> crossed;
    always<Fn::slot>().does([&crossed](auto... a) {
      crossed = std::get<interpose::position_of<kind::rank, typename Fn::params::as_tuple>()>(std::tuple(a...));
      return int{neutral::err_root};
    });
    for (const int rank : ranks_without_meaning()) {
      INFO(rank);
      s.rank = rank;
      crossed.reset();
      if constexpr (Fn::form == shape::pcollective) {
        REQUIRE(call_with_samples<Fn>(function, s) == MPI_SUCCESS);
        check_error(MPI_Start(&s.request), MPI_ERR_ROOT);
        CHECK(MPI_Request_free(&s.request) == MPI_SUCCESS);
      } else {
        check_error(call_with_samples<Fn>(function, s), MPI_ERR_ROOT, s.comm);
      }
      REQUIRE(crossed.has_value());
      CHECK(!has_meaning_below(*crossed));
    }
    always<Fn::slot>().gives(neutral::err_root);         // what it did looks at a variable that ends here
    s.rank = 0;
  }
};

int out[16];
MPI_Message message;
MPI_Comm made = MPI_COMM_NULL;
int sum_of(int dest, int source, MPI_Comm comm) {
  return MPI_Sendrecv(out, 1, MPI_INT, dest, 1, out + 1, 1, MPI_INT, source, 1, comm, MPI_STATUS_IGNORE);
}

/// A call by hand with a rank that mana itself judges: nothing crosses.
struct row {
  const char* name;
  int (*call)(int rank, sample_objects& s);
  int error_class = MPI_ERR_RANK;
  bool on_comm = true;                          // whose handler hears of it: else MPI_COMM_WORLD's
};
using s_ = sample_objects&;

template <class Use>
int with_group(Use&& use) {
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int rc = use(all, &some);
  MPI_Group_free(&all);
  return rc;
}

const row rows[] = {
    {"MPI_Send", [](int r, s_ s) { return MPI_Send(out, 1, MPI_INT, r, 1, s.comm); }},
    {"MPI_Ssend", [](int r, s_ s) { return MPI_Ssend(out, 1, MPI_INT, r, 1, s.comm); }},
    {"MPI_Rsend", [](int r, s_ s) { return MPI_Rsend(out, 1, MPI_INT, r, 1, s.comm); }},
    {"MPI_Bsend", [](int r, s_ s) { return MPI_Bsend(out, 1, MPI_INT, r, 1, s.comm); }},
    {"MPI_Isend", [](int r, s_ s) { return MPI_Isend(out, 1, MPI_INT, r, 1, s.comm, &s.request); }},
    {"MPI_Issend", [](int r, s_ s) { return MPI_Issend(out, 1, MPI_INT, r, 1, s.comm, &s.request); }},
    {"MPI_Ibsend", [](int r, s_ s) { return MPI_Ibsend(out, 1, MPI_INT, r, 1, s.comm, &s.request); }},
    {"MPI_Send_init", [](int r, s_ s) { return MPI_Send_init(out, 1, MPI_INT, r, 1, s.comm, &s.request); }},
    {"MPI_Bsend_init", [](int r, s_ s) { return MPI_Bsend_init(out, 1, MPI_INT, r, 1, s.comm, &s.request); }},
    {"MPI_Recv", [](int r, s_ s) { return MPI_Recv(out, 1, MPI_INT, r, 1, s.comm, MPI_STATUS_IGNORE); }},
    {"MPI_Irecv", [](int r, s_ s) { return MPI_Irecv(out, 1, MPI_INT, r, 1, s.comm, &s.request); }},
    {"MPI_Recv_init", [](int r, s_ s) { return MPI_Recv_init(out, 1, MPI_INT, r, 1, s.comm, &s.request); }},
    {"MPI_Sendrecv, to", [](int r, s_ s) { return sum_of(r, 0, s.comm); }},
    {"MPI_Sendrecv, from", [](int r, s_ s) { return sum_of(0, r, s.comm); }},
    {"MPI_Sendrecv_replace",
     [](int r, s_ s) { return MPI_Sendrecv_replace(out, 1, MPI_INT, 0, 1, r, 1, s.comm, MPI_STATUS_IGNORE); }},
    {"MPI_Probe", [](int r, s_ s) { return MPI_Probe(r, 1, s.comm, MPI_STATUS_IGNORE); }},
    {"MPI_Iprobe", [](int r, s_ s) { return MPI_Iprobe(r, 1, s.comm, out, MPI_STATUS_IGNORE); }},
    {"MPI_Mprobe", [](int r, s_ s) { return MPI_Mprobe(r, 1, s.comm, &message, MPI_STATUS_IGNORE); }},
    {"MPI_Improbe", [](int r, s_ s) { return MPI_Improbe(r, 1, s.comm, out, &message, MPI_STATUS_IGNORE); }},
#if MPI_VERSION >= 4
    {"MPI_Isendrecv",
     [](int r, s_ s) { return MPI_Isendrecv(out, 1, MPI_INT, r, 1, out + 1, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Psend_init",
     [](int r, s_ s) { return MPI_Psend_init(out, 1, 1, MPI_INT, r, 1, s.comm, MPI_INFO_NULL, &s.request); }},
    {"MPI_Precv_init",
     [](int r, s_ s) { return MPI_Precv_init(out, 1, 1, MPI_INT, r, 1, s.comm, MPI_INFO_NULL, &s.request); }},
#endif
    {"MPI_Intercomm_create, the local leader",
     [](int r, s_ s) { return MPI_Intercomm_create(s.comm, r, MPI_COMM_WORLD, 0, 1, &made); }},
    {"MPI_Cart_coords", [](int r, s_ s) { return MPI_Cart_coords(s.comm, r, 2, out); }},
    {"MPI_Group_incl",
     [](int r, s_) { return with_group([r](MPI_Group all, MPI_Group* g) { return MPI_Group_incl(all, 1, &r, g); }); },
     MPI_ERR_RANK, false},
    {"MPI_Group_excl",
     [](int r, s_) { return with_group([r](MPI_Group all, MPI_Group* g) { return MPI_Group_excl(all, 1, &r, g); }); },
     MPI_ERR_RANK, false},
    {"MPI_Group_range_incl",
     [](int r, s_) {
       return with_group([r](MPI_Group all, MPI_Group* g) {
         int range[][3] = {{r, r, 1}};
         return MPI_Group_range_incl(all, 1, range, g); });
     }, MPI_ERR_RANK, false},
    {"MPI_Group_translate_ranks",
     [](int r, s_) {
       return with_group([r](MPI_Group all, MPI_Group*) { return MPI_Group_translate_ranks(all, 1, &r, all, out); });
     }, MPI_ERR_RANK, false},
};

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "the root of a collective that means nothing is none of the live MPI's special ranks") {
  sample_objects s;
  always<&mpi_slots::MPI_Allreduce>().does(agree);
  int tried = 0;
  for_each_function(give_root{s, tried});
  CHECK(tried > 15);
}

TEST_CASE_FIXTURE(running_mpi, "the rank of a message, a leader, a member or a neighbour that means nothing is an error") {
  sample_objects s;
  for (const row& r : rows)
    for (const int rank : ranks_without_meaning()) {
      INFO(std::string(r.name));
      INFO(rank);
      check_error(r.call(rank, s), r.error_class, r.on_comm ? s.comm : MPI_COMM_WORLD);
    }
}

}  // namespace all_ranks_tests
