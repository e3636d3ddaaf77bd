// No id is left: each constructor of each class says so by an error of a proper class, through the handler of the object that it
// was called on, and leaves nothing: no id, no handle of the lower half, no count of a collective.
#include "samples.hpp"

#include <full_table.hpp>

#include <mana/object/classes.hpp>
#include <mana/object/comm/calls/intercomm.hpp>
#include <mana/vid/rank_map.hpp>

#include <cstring>

namespace all_no_ids_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

std::uint64_t collectives_counted() {
  std::uint64_t sum = 0;
  for (const vid::group_clock* c = vid::first_clock(); c != nullptr; c = c->next) sum += c->seq.load();
  return sum;
}

/// What a call that fails leaves as it was.
struct remains {
  std::array<std::uint64_t, lower::inventory_names.size()> ids = inventory();
  std::size_t reals = live_count();
  std::uint64_t counted = collectives_counted();
  bool operator==(const remains&) const = default;
};

int out[16];
MPI_Comm made = MPI_COMM_NULL;
MPI_Group group_made = MPI_GROUP_NULL;
MPI_Info info_made = MPI_INFO_NULL;
MPI_Datatype type_made = MPI_DATATYPE_NULL;
MPI_Errhandler handler_made = MPI_ERRHANDLER_NULL;
MPI_Op op_made = MPI_OP_NULL;
MPI_Win win_made = MPI_WIN_NULL;

/// What the rows are about, made while there are ids.
struct objects : sample_objects {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Comm pair = MPI_COMM_NULL;              // of ranks 0 and 1
  MPI_Comm inter = MPI_COMM_NULL;             // with rank 3 as the other group
  objects() {
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "key", "value");
    MPI_Comm_set_info(comm, hints);
    MPI_Group two = MPI_GROUP_NULL;
    const int ranks[] = {0, 1};
    MPI_Group_incl(all, 2, ranks, &two);
    MPI_Comm_create_group(MPI_COMM_WORLD, two, 3, &pair);
    MPI_Group_free(&two);
    REQUIRE(join(&inter) == MPI_SUCCESS);
  }
  ~objects() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&pair);
    MPI_Info_free(&hints);
    MPI_Group_free(&all);
  }
  /// MPI_Intercomm_create of the pair, which rank 0 leads: it tells of the other group.
  int join(MPI_Comm* to) const {
    expect<&mpi_slots::MPI_Bcast>().does([](void* letter, int, auto, int, auto) {
      const object::group_card card{77, 1, neutral::success};
      const int member = 3;
      std::memcpy(letter, &card, sizeof card);
      std::memcpy(static_cast<char*>(letter) + sizeof card, &member, sizeof member);
      return int{neutral::success};
    });
    always<&services::intercomm_create>().does([](mana::real<kind::comm>, int, int, int, mana::real<kind::comm>* real) {
      *real = make<kind::comm>();
      return int{neutral::success};
    });
    return MPI_Intercomm_create(pair, 0, MPI_COMM_WORLD, 3, 5, to);
  }
};
using s_ = objects&;

/// A call that has to have an id.
struct row {
  const char* name;
  int (*call)(objects&);
  enum { sample, world, pair, inter, null } on = sample;      // whose handler hears of it
  std::uint64_t counted = 0;                                  // collectives that have taken place before it fails
};

template <class K>
void expect_error_in_each(const row* first, const row* last, std::uint32_t left = 0) {
  objects s;
  const MPI_Comm comms[] = {s.comm, MPI_COMM_WORLD, s.pair, s.inter, MPI_COMM_NULL};
  const full_table<K> full(left);
  for (const row* r = first; r != last; ++r) {
    INFO(std::string(r->name));
    running_mpi::heard();
    remains before;
    check_error(r->call(s), MPI_ERR_NO_MEM, comms[r->on]);
    before.counted += r->counted;
    CHECK(remains() == before);
  }
}
template <class K, std::size_t N>
void expect_error_in_each(const row (&rows)[N], std::uint32_t left = 0) {
  expect_error_in_each<K>(rows, rows + N, left);
}

const row windows[] = {
    {"MPI_Win_create", [](s_ s) { return MPI_Win_create(out, sizeof out, 1, MPI_INFO_NULL, s.comm, &win_made); }},
    {"MPI_Win_create_dynamic", [](s_ s) { return MPI_Win_create_dynamic(MPI_INFO_NULL, s.comm, &win_made); }},
};

const row comms[] = {
    {"MPI_Win_create", [](s_ s) { return MPI_Win_create(out, sizeof out, 1, MPI_INFO_NULL, s.comm, &win_made); }},
    {"MPI_Win_create_dynamic", [](s_ s) { return MPI_Win_create_dynamic(MPI_INFO_NULL, s.comm, &win_made); }},
    {"MPI_Comm_dup", [](s_ s) { return MPI_Comm_dup(s.comm, &made); }},
    {"MPI_Comm_dup_with_info", [](s_ s) { return MPI_Comm_dup_with_info(s.comm, s.hints, &made); }},
    {"MPI_Comm_idup", [](s_ s) { return MPI_Comm_idup(s.comm, &made, &s.request); }},
    {"MPI_Comm_split", [](s_ s) { return MPI_Comm_split(s.comm, 0, 0, &made); }},
    {"MPI_Comm_split_type",
     [](s_ s) { return MPI_Comm_split_type(s.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made); }},
    {"MPI_Comm_create", [](s_ s) { return MPI_Comm_create(s.comm, s.all, &made); }},
    {"MPI_Comm_create_group", [](s_ s) { return MPI_Comm_create_group(s.comm, s.all, 3, &made); }},
    {"MPI_Cart_create", [](s_ s) { const int n[] = {4}; return MPI_Cart_create(s.comm, 1, n, n, 0, &made); }},
    {"MPI_Cart_sub", [](s_ s) { const int n[] = {1, 0}; return MPI_Cart_sub(s.comm, n, &made); }},
    {"MPI_Graph_create",
     [](s_ s) { const int index[] = {1, 2}, edges[] = {1, 0}; return MPI_Graph_create(s.comm, 2, index, edges, 0, &made); }},
    {"MPI_Dist_graph_create_adjacent",
     [](s_ s) {
       const int one[] = {0};
       return MPI_Dist_graph_create_adjacent(s.comm, 1, one, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
     }},
    {"MPI_Intercomm_create", [](s_ s) { return s.join(&made); }, row::pair, 1},
    {"MPI_Intercomm_merge", [](s_ s) { return MPI_Intercomm_merge(s.inter, 0, &made); }, row::inter},
#if MPI_VERSION >= 4
    {"MPI_Comm_idup_with_info", [](s_ s) { return MPI_Comm_idup_with_info(s.comm, s.hints, &made, &s.request); }},
    {"MPI_Comm_create_from_group",
     [](s_ s) { return MPI_Comm_create_from_group(s.all, "tag", s.hints, running_mpi::noting(), &made); }, row::null},
#endif
};

const row groups[] = {
    {"MPI_Comm_group", [](s_ s) { return MPI_Comm_group(s.comm, &group_made); }},
    {"MPI_Comm_remote_group", [](s_ s) { return MPI_Comm_remote_group(s.inter, &group_made); }, row::inter},
    {"MPI_Group_union", [](s_ s) { return MPI_Group_union(s.all, MPI_GROUP_EMPTY, &group_made); }, row::world},
    {"MPI_Group_intersection", [](s_ s) { return MPI_Group_intersection(s.all, s.all, &group_made); }, row::world},
    {"MPI_Group_difference", [](s_ s) { return MPI_Group_difference(s.all, MPI_GROUP_EMPTY, &group_made); }, row::world},
    {"MPI_Group_incl", [](s_ s) { return MPI_Group_incl(s.all, 1, s.ones, &group_made); }, row::world},
    {"MPI_Group_excl", [](s_ s) { return MPI_Group_excl(s.all, 1, s.ones, &group_made); }, row::world},
    {"MPI_Group_range_incl",
     [](s_ s) { int range[][3] = {{0, 1, 1}}; return MPI_Group_range_incl(s.all, 1, range, &group_made); }, row::world},
    {"MPI_Group_range_excl",
     [](s_ s) { int range[][3] = {{0, 1, 1}}; return MPI_Group_range_excl(s.all, 1, range, &group_made); }, row::world},
};

const row infos[] = {
    {"MPI_Win_create", [](s_ s) { return MPI_Win_create(out, sizeof out, 1, MPI_INFO_NULL, s.comm, &win_made); }},
    {"MPI_Win_create_dynamic", [](s_ s) { return MPI_Win_create_dynamic(MPI_INFO_NULL, s.comm, &win_made); }},
    {"MPI_Info_create", [](s_) { return MPI_Info_create(&info_made); }, row::world},
    {"MPI_Info_dup", [](s_ s) { return MPI_Info_dup(s.hints, &info_made); }, row::world},
    {"MPI_Comm_get_info", [](s_ s) { return MPI_Comm_get_info(s.comm, &info_made); }},
    {"MPI_Comm_get_info, without hints", [](s_ s) { return MPI_Comm_get_info(s.pair, &info_made); }, row::pair},
    {"MPI_Comm_set_info", [](s_ s) { return MPI_Comm_set_info(s.comm, s.hints); }},
    {"MPI_Comm_dup", [](s_ s) { return MPI_Comm_dup(s.comm, &made); }},
    {"MPI_Comm_dup_with_info", [](s_ s) { return MPI_Comm_dup_with_info(s.comm, s.hints, &made); }},
    {"MPI_Comm_idup", [](s_ s) { return MPI_Comm_idup(s.comm, &made, &s.request); }},
#if MPI_VERSION >= 4
    {"MPI_Info_create_env", [](s_) { return MPI_Info_create_env(0, nullptr, &info_made); }, row::world},
    {"MPI_Comm_idup_with_info", [](s_ s) { return MPI_Comm_idup_with_info(s.comm, s.hints, &made, &s.request); }},
    {"MPI_Comm_create_from_group",
     [](s_ s) { return MPI_Comm_create_from_group(s.all, "tag", s.hints, running_mpi::noting(), &made); }, row::null},
    {"MPI_Intercomm_create_from_groups",
     [](s_ s) {
       return MPI_Intercomm_create_from_groups(s.all, 0, s.all, 0, "tag", s.hints, running_mpi::noting(), &made);
     }, row::null},
#endif
};

const row datatypes[] = {
    {"MPI_Type_contiguous", [](s_) { return MPI_Type_contiguous(1, MPI_INT, &type_made); }, row::world},
    {"MPI_Type_create_struct",
     [](s_ s) { const MPI_Aint at[] = {0, 8}; return MPI_Type_create_struct(2, s.ones, at, s.types, &type_made); },
     row::world},
    {"MPI_Type_create_subarray",
     [](s_ s) {
       const int none[] = {0};
       return MPI_Type_create_subarray(1, s.ones, s.ones, none, MPI_ORDER_C, MPI_INT, &type_made);
     }, row::world},
    {"MPI_Type_dup", [](s_) { return MPI_Type_dup(MPI_INT, &type_made); }, row::world},
    {"MPI_Type_create_f90_integer", [](s_) { return MPI_Type_create_f90_integer(9, &type_made); }, row::world},
};

template <class Object>
void hear_of(Object*, int*, ...) {}

const row errhandlers[] = {
    {"MPI_Comm_create_errhandler",
     [](s_) { return MPI_Comm_create_errhandler(hear_of<MPI_Comm>, &handler_made); }, row::world},
    {"MPI_File_create_errhandler",
     [](s_) { return MPI_File_create_errhandler(hear_of<MPI_File>, &handler_made); }, row::world},
};

const row operations[] = {
    {"MPI_Op_create", [](s_) { return MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op_made); }, row::world},
};

int query(void*, MPI_Status*) { return MPI_SUCCESS; }
int forget(void*) { return MPI_SUCCESS; }
int cancel(void*, int) { return MPI_SUCCESS; }
int packs() {
  always<&mpi_slots::MPI_Pack_size>().does([](int, auto, auto, int* size) { return *size = 4, 0; });
  always<&mpi_slots::MPI_Pack>().gives(neutral::success);
  return MPI_SUCCESS;
}

const row requests[] = {
    {"MPI_Isend", [](s_ s) { return MPI_Isend(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Issend", [](s_ s) { return MPI_Issend(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Irecv", [](s_ s) { return MPI_Irecv(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Ibsend", [](s_ s) { return MPI_Ibsend(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Send_init", [](s_ s) { return MPI_Send_init(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Recv_init", [](s_ s) { return MPI_Recv_init(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Bsend_init", [](s_ s) { return MPI_Bsend_init(out, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Bsend",
     [](s_ s) {
       static char room[4096];
       void* back = nullptr;
       int size = packs();
       MPI_Buffer_attach(room, sizeof room);
       const int rc = MPI_Bsend(out, 1, MPI_INT, 0, 1, s.comm);
       MPI_Buffer_detach(&back, &size);
       return rc;
     }},
    {"MPI_Sendrecv",
     [](s_ s) {
       return MPI_Sendrecv(out, 1, MPI_INT, 0, 1, out + 1, 1, MPI_INT, 0, 1, s.comm, MPI_STATUS_IGNORE);
     }},
    {"MPI_Sendrecv_replace",
     [](s_ s) {
       packs();
       return MPI_Sendrecv_replace(out, 1, MPI_INT, 0, 1, 0, 1, s.comm, MPI_STATUS_IGNORE);
     }},
    {"MPI_Ibarrier", [](s_ s) { return MPI_Ibarrier(s.comm, &s.request); }},
    {"MPI_Iallreduce", [](s_ s) { return MPI_Iallreduce(out, out + 1, 1, MPI_INT, MPI_SUM, s.comm, &s.request); }},
    {"MPI_Comm_idup", [](s_ s) { return MPI_Comm_idup(s.comm, &made, &s.request); }},
    {"MPI_Grequest_start",
     [](s_ s) { return MPI_Grequest_start(query, forget, cancel, nullptr, &s.request); }, row::world},
#if MPI_VERSION >= 4
    {"MPI_Isendrecv",
     [](s_ s) { return MPI_Isendrecv(out, 1, MPI_INT, 0, 1, out + 1, 1, MPI_INT, 0, 1, s.comm, &s.request); }},
    {"MPI_Barrier_init", [](s_ s) { return MPI_Barrier_init(s.comm, MPI_INFO_NULL, &s.request); }},
    {"MPI_Psend_init",
     [](s_ s) { return MPI_Psend_init(out, 1, 1, MPI_INT, 0, 1, s.comm, MPI_INFO_NULL, &s.request); }},
    {"MPI_Precv_init",
     [](s_ s) { return MPI_Precv_init(out, 1, 1, MPI_INT, 0, 1, s.comm, MPI_INFO_NULL, &s.request); }},
#endif
};

const row messages[] = {
    {"MPI_Mprobe", [](s_ s) { MPI_Message m; return MPI_Mprobe(0, 1, s.comm, &m, MPI_STATUS_IGNORE); }},
    {"MPI_Improbe", [](s_ s) { MPI_Message m; return MPI_Improbe(0, 1, s.comm, out, &m, MPI_STATUS_IGNORE); }},
};

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "no id for a communicator: no constructor calls the live MPI, and its collective is not counted") {
  expect_error_in_each<kind::comm>(comms);
}
TEST_CASE_FIXTURE(running_mpi, "no id for a communicator: a rank that is to get none needs none") {
  objects s;
  const full_table<kind::comm> full;
  made = s.comm;
  CHECK(MPI_Comm_split(s.comm, MPI_UNDEFINED, 0, &made) == MPI_SUCCESS);
  CHECK(made == MPI_COMM_NULL);
  made = s.comm;
  CHECK(MPI_Comm_create(s.comm, MPI_GROUP_EMPTY, &made) == MPI_SUCCESS);
  CHECK(made == MPI_COMM_NULL);
}
TEST_CASE_FIXTURE(running_mpi, "one id for a communicator, and none for the request: MPI_Comm_idup gives it back") {
  objects s;
  const full_table<kind::comm> last(1);
  {
    const full_table<kind::request> full;
    const remains before;
    check_error(MPI_Comm_idup(s.comm, &made, &s.request), MPI_ERR_NO_MEM, s.comm);
    CHECK(remains() == before);
  }
  CHECK(MPI_Comm_dup(s.comm, &made) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
}
TEST_CASE_FIXTURE(running_mpi, "no id for a window") { expect_error_in_each<kind::win>(windows); }
TEST_CASE_FIXTURE(running_mpi, "no id for a group") { expect_error_in_each<kind::group>(groups); }
TEST_CASE_FIXTURE(running_mpi, "no id for an info object, also where an object keeps a copy of hints") {
  expect_error_in_each<kind::info>(infos);
}
TEST_CASE_FIXTURE(running_mpi, "no id for a datatype") { expect_error_in_each<kind::datatype>(datatypes); }
TEST_CASE_FIXTURE(running_mpi, "no id for an error handler") { expect_error_in_each<kind::errhandler>(errhandlers); }
TEST_CASE_FIXTURE(running_mpi, "no id for an operation") { expect_error_in_each<kind::op>(operations); }
TEST_CASE_FIXTURE(running_mpi, "no id for a request") { expect_error_in_each<kind::request>(requests); }
TEST_CASE_FIXTURE(running_mpi, "no id for a matched message") { expect_error_in_each<kind::message>(messages); }

#if MPI_VERSION >= 4
TEST_CASE_FIXTURE(running_mpi, "no id for a session, and none for what it gives") {
  MPI_Session session = MPI_SESSION_NULL;
  {
    const full_table<kind::session> full;
    CHECK(class_of(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session)) == MPI_ERR_NO_MEM);
  }
  {
    const full_table<kind::info> full;
    CHECK(class_of(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session)) == MPI_ERR_NO_MEM);
  }
  CHECK(session == MPI_SESSION_NULL);
  REQUIRE(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  {
    const full_table<kind::info> infos_full;
    const full_table<kind::group> groups_full;
    const remains before;
    CHECK(class_of(MPI_Session_get_info(session, &info_made)) == MPI_ERR_NO_MEM);
    CHECK(class_of(MPI_Session_get_pset_info(session, "mpi://WORLD", &info_made)) == MPI_ERR_NO_MEM);
    CHECK(class_of(MPI_Group_from_session_pset(session, "mpi://WORLD", &group_made)) == MPI_ERR_NO_MEM);
    CHECK(remains() == before);
  }
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
}
#endif

TEST_CASE_FIXTURE(running_mpi, "no id for a blocking message that a checkpoint has interrupted: nobody has to complete it") {
  objects s;
  const full_table<kind::request> full;
  for (const bool is_synchronous : {false, true}) {
    INFO(is_synchronous);
    const remains before;
    expect<&services::send>().does([](lower::send_mode, const void*, std::int64_t, auto, int, int, auto,
                                      auto* pending) {
      *pending = pending_request(true);
      return int{neutral::success};
    });
    expect<&services::request_free>().does([](auto request) {
      end(request);
      return int{neutral::success};
    });
    const auto call = is_synchronous ? MPI_Ssend : MPI_Send;
    check_error(call(out, 1, MPI_INT, 0, 1, s.comm), MPI_ERR_NO_MEM, s.comm);
    CHECK(remains() == before);
  }
  for (const bool has_come : {false, true}) {
    INFO(has_come);
    const remains before;
    expect<&services::recv>().does([](void*, std::int64_t, auto, int, int, auto, neutral::status*,
                                      auto* pending) {
      *pending = pending_request(false);
      return int{neutral::success};
    });
    expect<&services::cancel>().does([has_come](auto request) {
      complete(request, has_come ? neutral::status{0, 1, neutral::success, 0, 4} : neutral::status{0, 0, 0, 1, 0});
      return int{neutral::success};
    });
    MPI_Status status;
    const int rc = MPI_Recv(out, 1, MPI_INT, 0, 1, s.comm, &status);
    if (has_come) {
      CHECK(rc == MPI_SUCCESS);
      CHECK(status.MPI_SOURCE == 0);
    } else {
      check_error(rc, MPI_ERR_NO_MEM, s.comm);
    }
    CHECK(remains() == before);
  }
}

}  // namespace all_no_ids_tests
