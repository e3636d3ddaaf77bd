// Whatever the live MPI reports comes to the program: as the call's result, through the error handler, with nothing left behind.
#include "samples.hpp"

#include <every_function.hpp>

#include <string_view>

namespace all_live_error_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

/// What is left of a call: a failed one leaves nothing.
struct remains {
  std::array<std::uint64_t, lower::inventory_names.size()> ids = inventory();
  std::size_t reals = live_count();
  bool operator==(const remains&) const = default;
};

/// The call of a function's slot fails, with samples.
struct fail_in_slot {
  sample_objects& s;
  int& tried;

  template <class Fn, class... A>
  void operator()(int (*function)(A...)) {
    if constexpr (requires { Fn::slot; } && Fn::form != shape::manual) try_one<Fn>(function);
  }

  template <class Fn, class... A>
  void try_one(int (*function)(A...)) {
    INFO(std::string(Fn::name));
    ++tried;
    if constexpr (Fn::form == shape::pcollective) {
      REQUIRE(call_with_samples<Fn>(function, s) == MPI_SUCCESS);
      expect<Fn::slot>().gives(neutral::err_intern);
      const remains before;
      check_error(MPI_Start(&s.request), MPI_ERR_INTERN);
      CHECK(remains() == before);
      CHECK(MPI_Request_free(&s.request) == MPI_SUCCESS);
    } else {
      const remains before;
      expect<Fn::slot>().gives(neutral::err_intern);
      check_error(call_with_samples<Fn>(function, s), MPI_ERR_INTERN, s.comm);
      CHECK(remains() == before);
    }
  }
};

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "every collective, of every form, returns the live MPI's error and leaves nothing") {
  sample_objects s;
  always<&mpi_slots::MPI_Allreduce>().does(agree);
  int tried = 0;
  for_each_function(fail_in_slot{s, tried});
  CHECK(tried > 60);
}

namespace {

/// A call by hand, whose work one function of the lower half does.
struct row {
  const char* name;
  void (*fails)(int error);
  int (*call)(sample_objects&);
  bool on_comm = true;              // whose error it is: else MPI_COMM_WORLD's
};
template <auto Member>
void fails(int error) { expect<Member>().gives(error); }

MPI_Comm made = MPI_COMM_NULL;
MPI_Datatype type = MPI_DATATYPE_NULL;
int out[16];
MPI_Group members() {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  return all;
}
template <class Call>
int with_group(Call&& call) {
  MPI_Group all = members();
  const int rc = call(all);
  MPI_Group_free(&all);
  return rc;
}
using s_ = sample_objects&;

const row rows[] = {
    {"MPI_Send", fails<&services::send>, [](s_ s) { return MPI_Send(out, 1, MPI_INT, 0, 1, s.comm); }},
    {"MPI_Ssend", fails<&services::send>, [](s_ s) { return MPI_Ssend(out, 1, MPI_INT, 0, 1, s.comm); }},
    {"MPI_Rsend", fails<&services::send>, [](s_ s) { return MPI_Rsend(out, 1, MPI_INT, 0, 1, s.comm); }},
    {"MPI_Recv", fails<&services::recv>,
     [](s_ s) { return MPI_Recv(out, 1, MPI_INT, 0, 1, s.comm, MPI_STATUS_IGNORE); }},
    {"MPI_Isend", fails<&services::isend>, [](s_ s) { return MPI_Isend(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Issend", fails<&services::isend>, [](s_ s) { return MPI_Issend(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Irsend", fails<&services::isend>, [](s_ s) { return MPI_Irsend(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Irecv", fails<&services::irecv>, [](s_ s) { return MPI_Irecv(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Sendrecv", fails<&services::irecv>,
     [](s_ s) { return MPI_Sendrecv(out, 1, MPI_INT, 0, 1, out + 1, 1, MPI_INT, 0, 1, s.comm, MPI_STATUS_IGNORE); }},
    {"MPI_Sendrecv_replace", fails<&services::irecv>,
     [](s_ s) {
       expect<&mpi_slots::MPI_Pack_size>().does([](auto, auto, auto, int* size) { return *size = 4, 0; });
       expect<&mpi_slots::MPI_Pack>().gives(neutral::success);
       return MPI_Sendrecv_replace(out, 1, MPI_INT, 0, 1, 0, 1, s.comm, MPI_STATUS_IGNORE);
     }},
    {"MPI_Sendrecv_replace, packing", fails<&mpi_slots::MPI_Pack>,
     [](s_ s) {
       expect<&mpi_slots::MPI_Pack_size>().does([](auto, auto, auto, int* size) { return *size = 4, 0; });
       return MPI_Sendrecv_replace(out, 1, MPI_INT, 0, 1, 0, 1, s.comm, MPI_STATUS_IGNORE);
     }},
    {"MPI_Probe", fails<&services::probe>, [](s_ s) { return MPI_Probe(0, 1, s.comm, MPI_STATUS_IGNORE); }},
    {"MPI_Iprobe", fails<&services::probe>, [](s_ s) { return MPI_Iprobe(0, 1, s.comm, out, MPI_STATUS_IGNORE); }},
    {"MPI_Mprobe", fails<&services::mprobe>,
     [](s_ s) { MPI_Message m; return MPI_Mprobe(0, 1, s.comm, &m, MPI_STATUS_IGNORE); }},
    {"MPI_Improbe", fails<&services::mprobe>,
     [](s_ s) { MPI_Message m; return MPI_Improbe(0, 1, s.comm, out, &m, MPI_STATUS_IGNORE); }},
    {"MPI_Comm_dup", fails<&mpi_slots::MPI_Comm_dup>, [](s_ s) { return MPI_Comm_dup(s.comm, &made); }},
    {"MPI_Comm_dup_with_info", fails<&mpi_slots::MPI_Comm_dup>,
     [](s_ s) { return MPI_Comm_dup_with_info(s.comm, MPI_INFO_NULL, &made); }},
    {"MPI_Comm_idup", fails<&services::comm_idup>, [](s_ s) { return MPI_Comm_idup(s.comm, &made, &s.request); }},
    {"MPI_Comm_split", fails<&mpi_slots::MPI_Comm_split>, [](s_ s) { return MPI_Comm_split(s.comm, 0, 0, &made); }},
    {"MPI_Comm_split_type", fails<&mpi_slots::MPI_Comm_split_type>,
     [](s_ s) { return MPI_Comm_split_type(s.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made); }},
    {"MPI_Comm_create", fails<&services::comm_create>,
     [](s_ s) { return with_group([&](MPI_Group all) { return MPI_Comm_create(s.comm, all, &made); }); }},
    {"MPI_Comm_create_group", fails<&services::comm_create_group>,
     [](s_ s) { return with_group([&](MPI_Group all) { return MPI_Comm_create_group(s.comm, all, 3, &made); }); }},
    {"MPI_Cart_create", fails<&mpi_slots::MPI_Cart_create>,
     [](s_ s) { const int n[] = {4}; return MPI_Cart_create(s.comm, 1, n, n, 0, &made); }},
    {"MPI_Cart_sub", fails<&mpi_slots::MPI_Cart_sub>,
     [](s_ s) { const int n[] = {1, 0}; return MPI_Cart_sub(s.comm, n, &made); }},
    {"MPI_Graph_create", fails<&mpi_slots::MPI_Graph_create>,
     [](s_ s) { const int index[] = {1, 2}, edges[] = {1, 0}; return MPI_Graph_create(s.comm, 2, index, edges, 0, &made); }},
    {"MPI_Dist_graph_create_adjacent", fails<&mpi_slots::MPI_Dist_graph_create_adjacent>,
     [](s_ s) {
       const int one[] = {0};
       return MPI_Dist_graph_create_adjacent(s.comm, 1, one, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
     }},
    {"MPI_Dims_create", fails<&mpi_slots::MPI_Dims_create>,
     [](s_) { int dims[] = {0, 0}; return MPI_Dims_create(4, 2, dims); }, false},
    {"MPI_Type_contiguous", fails<&mpi_slots::MPI_Type_contiguous>,
     [](s_) { return MPI_Type_contiguous(1, MPI_INT, &type); }, false},
    {"MPI_Type_vector", fails<&mpi_slots::MPI_Type_vector>,
     [](s_) { return MPI_Type_vector(1, 1, 1, MPI_INT, &type); }, false},
    {"MPI_Type_create_hvector", fails<&mpi_slots::MPI_Type_create_hvector>,
     [](s_) { return MPI_Type_create_hvector(1, 1, 8, MPI_INT, &type); }, false},
    {"MPI_Type_indexed", fails<&mpi_slots::MPI_Type_indexed>,
     [](s_ s) { return MPI_Type_indexed(2, s.ones, s.ones, MPI_INT, &type); }, false},
    {"MPI_Type_create_struct", fails<&mpi_slots::MPI_Type_create_struct>,
     [](s_ s) { const MPI_Aint at[] = {0, 8}; return MPI_Type_create_struct(2, s.ones, at, s.types, &type); }, false},
    {"MPI_Type_create_resized", fails<&mpi_slots::MPI_Type_create_resized>,
     [](s_) { return MPI_Type_create_resized(MPI_INT, 0, 8, &type); }, false},
    {"MPI_Type_dup", fails<&mpi_slots::MPI_Type_dup>, [](s_) { return MPI_Type_dup(MPI_INT, &type); }, false},
    {"MPI_Pack", fails<&mpi_slots::MPI_Pack>,
     [](s_ s) { int at = 0; return MPI_Pack(out, 1, MPI_INT, s.memory, 64, &at, s.comm); }},
    {"MPI_Pack_size", fails<&mpi_slots::MPI_Pack_size>, [](s_ s) { return MPI_Pack_size(1, MPI_INT, s.comm, out); }},
    {"MPI_Unpack", fails<&mpi_slots::MPI_Unpack>,
     [](s_ s) { int at = 0; return MPI_Unpack(s.memory, 64, &at, out, 1, MPI_INT, s.comm); }},
    {"MPI_Op_create", fails<&services::op_create>,
     [](s_) { MPI_Op op; return MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op); }, false},
    {"MPI_Reduce_local", fails<&mpi_slots::MPI_Reduce_local>,
     [](s_) { return MPI_Reduce_local(out, out + 1, 1, MPI_INT, MPI_SUM); }, false},
};

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "every call by hand returns the live MPI's error and leaves nothing") {
  sample_objects s;
  for (const row& r : rows) {
    INFO(std::string(r.name));
    const remains before;
    r.fails(neutral::err_intern);
    check_error(r.call(s), MPI_ERR_INTERN, r.on_comm ? s.comm : MPI_COMM_WORLD);
    CHECK(remains() == before);
  }
}

TEST_CASE_FIXTURE(running_mpi, "a send that the live MPI refuses is not counted as sent") {
  const auto posted = [] {
    return calls<&services::drain_post>().size();
  };
  expect<&services::send>().gives(neutral::err_rank);
  MPI_Send(out, 1, MPI_INT, 3, 1, MPI_COMM_WORLD);
  expect<&services::isend>().gives(neutral::err_rank);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(out, 1, MPI_INT, 3, 1, MPI_COMM_WORLD, &request);
  heard();
  // A drain tells each rank that was sent a message; none was.
  expect_checkpoint_in<&services::probe>(outcome::resumes);
  arrive({lower::predefined(neutral::comm_world), 0, 1, "text"});
  const std::size_t before = posted();
  CHECK(MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(posted() == before);
  expect<&services::deliver>().gives(neutral::success);        // what the drain has received
  CHECK(MPI_Recv(out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

}  // namespace all_live_error_tests
