// Open MPI's Fortran library goes unchanged into the upper half, and calls MPI's C functions for nearly everything. The
// rest is here. Some of its functions look into the structures behind C's handles, which ours do not have. They are
// replaced: the program and the library's mpi_f08 part find ours first (fortran_names.S). The library also uses
// functions of Open MPI's C library besides MPI's. They have the same names and parameters here as there.
#include <mana/calls.hpp>
#include <mana/gen/declared.hpp>
#include <mana/mpis/openmpi/fortran_arguments.hpp>

#include <mpi-ext.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

extern "C" {
int ompi_fortran_string_f2c(const char* text, int length, char** made);
int ompi_fortran_string_c2f(const char* text, char* out, int length);
}

namespace mana {
namespace {

using fortran::answer;
using fortran::fint;

/// Indices in Fortran begin with 1.
int fortran_index(int index) noexcept { return index == MPI_UNDEFINED ? index : index + 1; }
void to_fortran_indices(int n, fint* indices) noexcept {
  for (int i = 0; i < n; ++i) indices[i] = fortran_index(indices[i]);     // none for MPI_UNDEFINED
}

/// Functions that make a group. make(MPI_Group*): the C function
template <class Make>
void give_group(fint* number, fint* ierr, Make&& make) noexcept {
  MPI_Group made = MPI_GROUP_NULL;
  const int rc = make(&made);
  if (rc == MPI_SUCCESS) *number = PMPI_Group_c2f(made);
  answer(ierr, rc);
}

/// A text as C has it.
class text {
 public:
  text(const char* given, int length) noexcept {
    ompi_fortran_string_f2c(given, length, &made_);
  }
  ~text() { std::free(made_); }
  text(const text&) = delete;
  text& operator=(const text&) = delete;
  const char* data() const noexcept { return made_; }

 private:
  char* made_ = nullptr;
};

/// Callbacks of attributes. Fortran gets the attribute's bits as an integer of this type.
template <class Integer>
int copy_in_fortran(void (*function)(), int handle, int key, void* extra, int, void* bits, void** copy, int* wanted) {
  Integer state = static_cast<Integer>(reinterpret_cast<std::intptr_t>(extra));
  Integer from = static_cast<Integer>(reinterpret_cast<std::intptr_t>(bits)), to = 0;
  fint code = MPI_SUCCESS;
  using fortran = void (*)(fint*, fint*, Integer*, Integer*, Integer*, fint*, fint*);
  reinterpret_cast<fortran>(function)(&handle, &key, &state, &from, &to, wanted, &code);
  *copy = reinterpret_cast<void*>(static_cast<std::intptr_t>(to));
  return code;
}
template <class Integer>
int remove_in_fortran(void (*function)(), int handle, int key, int, void* bits, void* extra) {
  Integer state = static_cast<Integer>(reinterpret_cast<std::intptr_t>(extra));
  Integer value = static_cast<Integer>(reinterpret_cast<std::intptr_t>(bits));
  fint code = MPI_SUCCESS;
  using fortran = void (*)(fint*, fint*, Integer*, Integer*, fint*);
  reinterpret_cast<fortran>(function)(&handle, &key, &value, &state, &code);
  return code;
}

constexpr kind_code object_of[] = {kind_code::none, kind_code::comm, kind_code::datatype, kind_code::win};

template <class Integer>
int create_key(int object, void (*copy)(), void (*remove)(), int* number, Integer extra) noexcept {
  if (object < 1 || object > 3) return MPI_ERR_INTERN;
  const std::lock_guard hold(app::cold_lock());
  *number = object::attribute_keys().insert({.object = object_of[object], .copy = copy, .remove = remove,
                                           .extra = reinterpret_cast<void*>(static_cast<std::intptr_t>(extra)),
                                           .by_copy_proxy = copy_in_fortran<Integer>,
                                           .by_remove_proxy = remove_in_fortran<Integer>});
  return MPI_SUCCESS;
}

template <class Integer>
auto store_bits(Integer* out) noexcept {
  return [out](void*, std::int64_t bits) { *out = static_cast<Integer>(bits); };
}

}  // namespace
}  // namespace mana

extern "C" {

using mana::answer;
using mana::fint;

// ---- replacements of Open MPI's functions

void mana_fortran_wait(fint* request, fint* status, fint* ierr) {
  mana::fortran::requests r(1, request);
  mana::fortran::statuses s(1, status);
  answer(ierr, PMPI_Wait(r.data(), s.data()));
}
void mana_fortran_test(fint* request, fint* flag, fint* status, fint* ierr) {
  mana::fortran::requests r(1, request);
  mana::fortran::statuses s(1, status);
  answer(ierr, PMPI_Test(r.data(), flag, s.data()));
}
void mana_fortran_waitall(const fint* n, fint* all, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(*n, status);
  answer(ierr, PMPI_Waitall(*n, r.data(), s.data()));
}
void mana_fortran_testall(const fint* n, fint* all, fint* flag, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(*n, status);
  answer(ierr, PMPI_Testall(*n, r.data(), flag, s.data()));
}
void mana_fortran_waitany(const fint* n, fint* all, fint* index, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(1, status);
  const int rc = PMPI_Waitany(*n, r.data(), index, s.data());
  if (rc == MPI_SUCCESS) *index = mana::fortran_index(*index);
  answer(ierr, rc);
}
void mana_fortran_testany(const fint* n, fint* all, fint* index, fint* flag, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(1, status);
  const int rc = PMPI_Testany(*n, r.data(), index, flag, s.data());
  if (rc == MPI_SUCCESS) *index = mana::fortran_index(*index);
  answer(ierr, rc);
}
void mana_fortran_waitsome(const fint* n, fint* all, fint* done, fint* indices, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(*n, status);
  const int rc = PMPI_Waitsome(*n, r.data(), done, indices, s.data());
  mana::to_fortran_indices(*done, indices);
  answer(ierr, rc);
}
void mana_fortran_testsome(const fint* n, fint* all, fint* done, fint* indices, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(*n, status);
  const int rc = PMPI_Testsome(*n, r.data(), done, indices, s.data());
  mana::to_fortran_indices(*done, indices);
  answer(ierr, rc);
}
void mana_fortran_request_free(fint* request, fint* ierr) {
  mana::fortran::requests r(1, request);
  answer(ierr, PMPI_Request_free(r.data()));
}

#if defined(MANA_DECLARES_MPI_Request_get_status_all)
void mana_fortran_request_get_status_all(const fint* n, fint* all, fint* flag, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(*n, status);
  answer(ierr, PMPI_Request_get_status_all(*n, r.data(), flag, s.data()));
}
void mana_fortran_request_get_status_any(const fint* n, fint* all, fint* index, fint* flag, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(1, status);
  const int rc = PMPI_Request_get_status_any(*n, r.data(), index, flag, s.data());
  if (rc == MPI_SUCCESS) *index = mana::fortran_index(*index);
  answer(ierr, rc);
}
void mana_fortran_request_get_status_some(const fint* n, fint* all, fint* done, fint* indices, fint* status, fint* ierr) {
  mana::fortran::requests r(*n, all);
  mana::fortran::statuses s(*n, status);
  const int rc = PMPI_Request_get_status_some(*n, r.data(), done, indices, s.data());
  if (rc == MPI_SUCCESS) mana::to_fortran_indices(*done, indices);
  answer(ierr, rc);
}
#endif
#if defined(MANA_DECLARES_MPI_Parrived)
void mana_fortran_parrived(const fint* request, const fint* partition, fint* flag, fint* ierr) {
  answer(ierr, PMPI_Parrived(PMPI_Request_f2c(*request), *partition, flag));
}
#endif

void mana_fortran_group_incl(const fint* group, const fint* n, const fint* ranks, fint* made, fint* ierr) {
  mana::give_group(made, ierr, [&](MPI_Group* out) { return PMPI_Group_incl(PMPI_Group_f2c(*group), *n, ranks, out); });
}
void mana_fortran_group_excl(const fint* group, const fint* n, const fint* ranks, fint* made, fint* ierr) {
  mana::give_group(made, ierr, [&](MPI_Group* out) { return PMPI_Group_excl(PMPI_Group_f2c(*group), *n, ranks, out); });
}
void mana_fortran_group_range_incl(const fint* group, const fint* n, fint ranges[][3], fint* made, fint* ierr) {
  mana::give_group(made, ierr, [&](MPI_Group* out) { return PMPI_Group_range_incl(PMPI_Group_f2c(*group), *n, ranges, out); });
}
void mana_fortran_group_range_excl(const fint* group, const fint* n, fint ranges[][3], fint* made, fint* ierr) {
  mana::give_group(made, ierr, [&](MPI_Group* out) { return PMPI_Group_range_excl(PMPI_Group_f2c(*group), *n, ranges, out); });
}
void mana_fortran_group_union(const fint* a, const fint* b, fint* made, fint* ierr) {
  mana::give_group(made, ierr, [&](MPI_Group* out) { return PMPI_Group_union(PMPI_Group_f2c(*a), PMPI_Group_f2c(*b), out); });
}
void mana_fortran_group_intersection(const fint* a, const fint* b, fint* made, fint* ierr) {
  mana::give_group(made, ierr, [&](MPI_Group* out) {
    return PMPI_Group_intersection(PMPI_Group_f2c(*a), PMPI_Group_f2c(*b), out); });
}
void mana_fortran_group_difference(const fint* a, const fint* b, fint* made, fint* ierr) {
  mana::give_group(made, ierr, [&](MPI_Group* out) {
    return PMPI_Group_difference(PMPI_Group_f2c(*a), PMPI_Group_f2c(*b), out); });
}

void mana_fortran_op_create(void (*function)(), const fint* commutes, fint* op, fint* ierr) {
  MPI_Op made = MPI_OP_NULL;
  const int rc = PMPI_Op_create(reinterpret_cast<MPI_User_function*>(function), *commutes != 0, &made);
  mana::object::call_op_in_fortran(made);
  if (rc == MPI_SUCCESS) *op = PMPI_Op_c2f(made);
  answer(ierr, rc);
}
void mana_fortran_grequest_start(void (*query)(), void (*release)(), void (*cancel)(), MPI_Aint* extra, fint* request,
                                 fint* ierr) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int rc = PMPI_Grequest_start(reinterpret_cast<MPI_Grequest_query_function*>(query),
                                     reinterpret_cast<MPI_Grequest_free_function*>(release),
                                     reinterpret_cast<MPI_Grequest_cancel_function*>(cancel), extra, &made);
  mana::object::call_request_in_fortran(made);
  if (rc == MPI_SUCCESS) *request = PMPI_Request_c2f(made);
  answer(ierr, rc);
}

void mana_fortran_attr_put(const fint* comm, const fint* key, const fint* value, fint* ierr) {
  answer(ierr, mana::object::set_comm_attribute<mana::fn::attr_put>(PMPI_Comm_f2c(*comm), *key, std::int64_t{*value}));
}
void mana_fortran_attr_get(const fint* comm, const fint* key, fint* value, fint* flag, fint* ierr) {
  answer(ierr, mana::object::get_comm_attribute<mana::fn::attr_get>(PMPI_Comm_f2c(*comm), *key, flag,
                                                                  mana::store_bits(value)));
}
void mana_fortran_comm_set_attr(const fint* comm, const fint* key, const MPI_Aint* value, fint* ierr) {
  using f = mana::fn::comm_set_attr;
  answer(ierr, mana::object::set_comm_attribute<f>(PMPI_Comm_f2c(*comm), *key, std::int64_t{*value}));
}
void mana_fortran_comm_get_attr(const fint* comm, const fint* key, MPI_Aint* value, fint* flag, fint* ierr) {
  answer(ierr, mana::object::get_comm_attribute<mana::fn::comm_get_attr>(PMPI_Comm_f2c(*comm), *key, flag,
                                                                       mana::store_bits(value)));
}
void mana_fortran_type_set_attr(const fint* type, const fint* key, const MPI_Aint* value, fint* ierr) {
  answer(ierr, mana::object::set_type_attribute(PMPI_Type_f2c(*type), *key, std::int64_t{*value}));
}
void mana_fortran_type_get_attr(const fint* type, const fint* key, MPI_Aint* value, fint* flag, fint* ierr) {
  answer(ierr, mana::object::get_type_attribute(PMPI_Type_f2c(*type), *key, flag, mana::store_bits(value)));
}
void mana_fortran_win_set_attr(const fint* win, const fint* key, const MPI_Aint* value, fint* ierr) {
  answer(ierr, mana::object::set_win_attribute(PMPI_Win_f2c(*win), *key, std::int64_t{*value}));
}
void mana_fortran_win_get_attr(const fint* win, const fint* key, MPI_Aint* value, fint* flag, fint* ierr) {
  answer(ierr, mana::object::get_win_attribute(PMPI_Win_f2c(*win), *key, flag, mana::store_bits(value)));
}

void mana_fortran_type_match_size(const fint* type_class, const fint* bytes, fint* type, fint* ierr) {
  MPI_Datatype found = MPI_DATATYPE_NULL;
  const int rc = PMPI_Type_match_size(*type_class, *bytes, &found);
  if (rc == MPI_SUCCESS) *type = PMPI_Type_c2f(found);
  answer(ierr, rc);
}

// Texts of infos, which its library takes from objects of its C library.
void mana_fortran_info_get(const fint* info, const char* key, const fint* length, char* value, fint* flag, fint* ierr,
                           int key_length, int value_length) {
  mana::text name(key, key_length);
  mana::object::scratch<char, 256> found(*length > 0 ? *length + 1 : 1);
  const int rc = PMPI_Info_get(PMPI_Info_f2c(*info), name.data(), *length, found.data(), flag);
  if (rc == MPI_SUCCESS && *flag != 0) ompi_fortran_string_c2f(found.data(), value, value_length);
  answer(ierr, rc);
}
void mana_fortran_info_get_nthkey(const fint* info, const fint* n, char* key, fint* ierr, int key_length) {
  char found[MPI_MAX_INFO_KEY + 1];
  const int rc = PMPI_Info_get_nthkey(PMPI_Info_f2c(*info), *n, found);
  if (rc == MPI_SUCCESS) ompi_fortran_string_c2f(found, key, key_length);
  answer(ierr, rc);
}
#if defined(MANA_DECLARES_MPI_Info_get_string)
void mana_fortran_info_get_string(const fint* info, const char* key, fint* length, char* value, fint* flag, fint* ierr,
                                  int key_length, int value_length) {
  mana::text name(key, key_length);
  const bool is_asked = *length > 0;
  int room = is_asked ? *length + 1 : 0;          // C's has a zero at its end
  mana::object::scratch<char, 256> found(room > 0 ? room : 1);
  const int rc = PMPI_Info_get_string(PMPI_Info_f2c(*info), name.data(), &room, found.data(), flag);
  if (rc == MPI_SUCCESS && *flag != 0) {
    if (is_asked) ompi_fortran_string_c2f(found.data(), value, value_length);
    *length = room - 1;
  }
  answer(ierr, rc);
}
#endif

double mana_fortran_wtime() { return PMPI_Wtime(); }
double mana_fortran_wtick() { return PMPI_Wtick(); }
MPI_Aint mana_fortran_aint_add(const MPI_Aint* base, const MPI_Aint* displacement) {
  return PMPI_Aint_add(*base, *displacement);
}
MPI_Aint mana_fortran_aint_diff(const MPI_Aint* a, const MPI_Aint* b) { return PMPI_Aint_diff(*a, *b); }

// The callbacks of attributes in mpif.h.
void mana_fortran_copy_int(fint*, fint*, fint*, const fint* from, fint* to, fint* wanted, fint* ierr) {
  *to = *from;
  *wanted = 1;
  answer(ierr, MPI_SUCCESS);
}
void mana_fortran_copy_address(fint*, fint*, MPI_Aint*, const MPI_Aint* from, MPI_Aint* to, fint* wanted, fint* ierr) {
  *to = *from;
  *wanted = 1;
  answer(ierr, MPI_SUCCESS);
}
void mana_fortran_copy_nothing(fint*, fint*, void*, void*, void*, fint* wanted, fint* ierr) {
  *wanted = 0;
  answer(ierr, MPI_SUCCESS);
}
void mana_fortran_remove_nothing(fint*, fint*, void*, void*, fint* ierr) { answer(ierr, MPI_SUCCESS); }

}

// ---- functions of Open MPI's C library that its Fortran library uses

#pragma GCC visibility push(default)
extern "C" {

/// in: object  1 communicator, 2 datatype, 3 window
int ompi_attr_create_keyval_fint(int object, void (*copy)(), void (*remove)(), int* key, fint extra, int, void*) {
  return mana::create_key<fint>(object, copy, remove, key, extra);
}
int ompi_attr_create_keyval_aint(int object, void (*copy)(), void (*remove)(), int* key, MPI_Aint extra, int, void*) {
  return mana::create_key<MPI_Aint>(object, copy, remove, key, extra);
}

/// object: 1 communicator, 2 window, 3 file, 4 session. language: C, C++ where the library has it, Fortran.
/// out: the null handler if it cannot be made
MPI_Errhandler ompi_errhandler_create(int object, void (*function)(), int language) {
#if defined(OMPI_BUILD_CXX_BINDINGS)
  constexpr int fortran = 2;
#else
  constexpr int fortran = 1;
#endif
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  if (object == 1) PMPI_Comm_create_errhandler(reinterpret_cast<MPI_Comm_errhandler_function*>(function), &made);
  if (object == 2) PMPI_Win_create_errhandler(reinterpret_cast<MPI_Win_errhandler_function*>(function), &made);
  if (object == 3) PMPI_File_create_errhandler(reinterpret_cast<MPI_File_errhandler_function*>(function), &made);
  if (language == fortran) mana::object::call_errhandler_in_fortran(made);
  return made;
}
/// Called by the library's own argument checks, which know no object except MPI_COMM_WORLD.
int ompi_errhandler_invoke(void*, void*, int, int code, const char*) {
  PMPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  return code;
}
void ompi_mpi_errors_are_fatal_comm_handler(MPI_Comm*, int* code, ...) {
  PMPI_Abort(MPI_COMM_WORLD, code != nullptr ? *code : MPI_ERR_INTERN);
}

/// Removes blanks at both ends. Without memory it ends the program: after an error, some of its callers look behind a
/// handle. out: *made: for free(); the result is 0
int ompi_fortran_string_f2c(const char* text, int length, char** made) {
  std::string_view words(text, static_cast<std::size_t>(length > 0 ? length : 0));
  const std::size_t first = words.find_first_not_of(' ');
  words = first == words.npos ? std::string_view() : words.substr(first, words.find_last_not_of(' ') + 1 - first);
  *made = strndup(words.data() != nullptr ? words.data() : "", words.size());
  if (*made == nullptr) std::abort();
  return 0;
}
int ompi_fortran_string_c2f(const char* text, char* out, int length) {
  const std::size_t room = static_cast<std::size_t>(length > 0 ? length : 0), size = strnlen(text, room);
  std::memcpy(out, text, size);
  std::memset(out + size, ' ', room - size);
  return 0;
}

/// Datatypes that it makes for a call.
int ompi_datatype_destroy(MPI_Datatype* type) { return PMPI_Type_free(type); }

/// Entries of the arrays of a collective among neighbours.
int ompi_fortran_neighbor_count(MPI_Comm comm, int* in, int* out) {
  int form = MPI_UNDEFINED, n = 0, rank = 0, weighted = 0;
  int rc = PMPI_Topo_test(comm, &form);
  if (rc != MPI_SUCCESS) return rc;
  if (form == MPI_DIST_GRAPH) return PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
  if (form == MPI_CART) {
    rc = PMPI_Cartdim_get(comm, &n);
    n *= 2;
  } else if (form == MPI_GRAPH) {
    rc = PMPI_Comm_rank(comm, &rank);
    if (rc == MPI_SUCCESS) rc = PMPI_Graph_neighbors_count(comm, rank, &n);
  } else {
    rc = MPI_ERR_TOPOLOGY;
  }
  *in = *out = n;
  return rc;
}

/// Lists of words. Only MPI_Comm_spawn uses them, and it is refused for any words.
int ompi_fortran_argv_blank_f2c(const char*, int, int, char*** made) {
  *made = static_cast<char**>(std::calloc(1, sizeof(char*)));
  return *made != nullptr ? 0 : -1;
}
int ompi_fortran_argv_count_f2c(const char*, int, int, int, char*** made) {
  *made = static_cast<char**>(std::calloc(1, sizeof(char*)));
  return *made != nullptr ? 0 : -1;
}
int ompi_fortran_multiple_argvs_f2c(int n, const char*, int, char**** made) {
  *made = static_cast<char***>(std::calloc(static_cast<std::size_t>(n > 0 ? n : 0) + 1, sizeof(char**)));
  return *made != nullptr ? 0 : -1;
}

}
#pragma GCC visibility pop
