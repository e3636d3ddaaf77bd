// MPI_T's handles: their variables, across a restart too; what is freed, what goes with its session, what the live MPI
// refuses.
#include <running_mpi.hpp>

#include <mana/app/argument.hpp>

#include <cstring>

namespace tool_life_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

/// MPI_INT, as the library has it.
real<kind::datatype> int_below() {
  std::uint32_t code = neutral::datatype_null;
  while (app::predefined_handle<kind::datatype>(code) != MPI_INT) ++code;
  return lower::predefined_of<kind::datatype>(code);
}

/// A library with one variable of each sort, "limit" and "count", of one int, bound to nothing.
int written = 0, allocated = 0, freed = 0;

int tell_text(const char* text, char* into, int* length) {
  if (length == nullptr) return 0;
  if (into != nullptr && *length > 0) {
    std::strncpy(into, text, static_cast<std::size_t>(*length) - 1);
    into[*length - 1] = 0;
  }
  *length = static_cast<int>(std::strlen(text)) + 1;
  return 0;
}
void script_control_variable() {
  always<&mpi_slots::MPI_T_cvar_get_num>().does([](int* n) { return *n = 1, 0; });
  always<&mpi_slots::MPI_T_cvar_get_index>().does([](const char* name, int* index) {
    *index = 0;
    return std::string(name) == "limit" ? int{neutral::success} : int{neutral::err_t_invalid_name};
  });
  always<&mpi_slots::MPI_T_cvar_get_info>().does([](int index, char* name, int* length, int*, auto* type,
                                                    auto* enumeration, char*, int*, int* bind, int*) {
    if (index != 0) return int{neutral::err_t_invalid_index};
    *type = int_below();
    *enumeration = {};
    *bind = neutral::bind_no_object;
    return tell_text("limit", name, length);
  });
  always<&mpi_slots::MPI_T_cvar_handle_alloc>().does([](int, void*, auto* handle, int* n) {
    *handle = real<kind::cvar>(500 + static_cast<std::uint64_t>(++allocated));
    *n = 1;
    return int{neutral::success};
  });
  always<&mpi_slots::MPI_T_cvar_handle_free>().does([](auto*) { return ++freed, 0; });
  always<&mpi_slots::MPI_T_cvar_write>().does([](auto, const void* value) {
    std::memcpy(&written, value, sizeof written);
    return int{neutral::success};
  });
  always<&mpi_slots::MPI_T_cvar_read>().does([](auto, void* value) {
    std::memcpy(value, &written, sizeof written);
    return int{neutral::success};
  });
}
void script_performance_variable() {
  always<&mpi_slots::MPI_T_pvar_get_num>().does([](int* n) { return *n = 1, 0; });
  always<&mpi_slots::MPI_T_pvar_get_index>().does([](const char*, int, int* index) { return *index = 0, 0; });
  always<&mpi_slots::MPI_T_pvar_get_info>().does([](int index, char* name, int* length, int*, int* var_class,
                                                    auto* type, auto* enumeration, char*, int*,
                                                    int* bind, int*, int*, int*) {
    if (index != 0) return int{neutral::err_t_invalid_index};
    *type = int_below();
    *enumeration = {};
    *bind = neutral::bind_no_object;
    *var_class = 0;
    return tell_text("count", name, length);
  });
  always<&mpi_slots::MPI_T_pvar_session_create>().does([](auto* s) { return *s = real<kind::pvar_session>(900), 0; });
  always<&mpi_slots::MPI_T_pvar_session_free>().gives(int{neutral::success});
  always<&mpi_slots::MPI_T_pvar_handle_alloc>().does([](auto, int, void*, auto* handle, int* n) {
    *handle = real<kind::pvar>(700);
    *n = 1;
    return int{neutral::success};
  });
  always<&mpi_slots::MPI_T_pvar_handle_free>().gives(int{neutral::success});
  always<&mpi_slots::MPI_T_pvar_start>().gives(int{neutral::success});
  always<&mpi_slots::MPI_T_pvar_read>().does(
      [](auto, auto, void* value) { return *static_cast<int*>(value) = 11, 0; });
}

/// The interface is initialised as long as it lives.
struct tool_user {
  tool_user() {
    script_control_variable();
    script_performance_variable();
    always<&mpi_slots::MPI_T_init_thread>().does([](int required, int* provided) { return *provided = required, 0; });
    int provided = 0;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  }
  ~tool_user() { CHECK(MPI_T_finalize() == MPI_SUCCESS); }
};
MPI_T_cvar_handle limit() {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int n = 0;
  CHECK(MPI_T_cvar_handle_alloc(0, nullptr, &handle, &n) == MPI_SUCCESS);
  CHECK(n == 1);
  return handle;
}
void restart() {
  raise_attention();
  expect<&services::clock_enter>().does([] { return declare_line(outcome::restarts); });
  expect<&mpi_slots::MPI_Barrier>().gives(neutral::success);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi,
                  "a control variable's handle has it after a restart too, and what was written is written again") {
  const tool_user user;
  MPI_T_cvar_handle handle = limit();
  int value = 42;
  CHECK(MPI_T_cvar_write(handle, &value) == MPI_SUCCESS);
  written = 0;  // the library of the restart has its own
  const int before = allocated;
  restart();
  CHECK(allocated == before + 1);
  CHECK(written == 42);
  value = 0;
  CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS);
  CHECK(value == 42);
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi,
                  "handles of MPI_T that were freed are errors in every call, and no handler hears of them") {
  const tool_user user;
  int value = 0, n = 0;
  MPI_T_cvar_handle handle = limit(), stale = handle;
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
  CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
  CHECK(MPI_T_cvar_read(stale, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_write(stale, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_handle_free(&stale) == MPI_T_ERR_INVALID_HANDLE);
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  MPI_T_pvar_handle count = MPI_T_PVAR_HANDLE_NULL;
  CHECK(MPI_T_pvar_handle_alloc(session, 0, nullptr, &count, &n) == MPI_SUCCESS);
  MPI_T_pvar_session gone = session;
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_read(gone, count, &value) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_start(gone, count) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_handle_free(gone, &count) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_session_free(&gone) == MPI_T_ERR_INVALID_SESSION);
  MPI_T_pvar_session another = MPI_T_PVAR_SESSION_NULL;
  CHECK(MPI_T_pvar_session_create(&another) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_read(another, count, &value) == MPI_T_ERR_INVALID_HANDLE);  // it went with its session
  CHECK(MPI_T_pvar_session_free(&another) == MPI_SUCCESS);
  CHECK(heard().empty());
}

TEST_CASE_FIXTURE(running_mpi, "a performance variable that was started is started again by a restart") {
  const tool_user user;
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle count = MPI_T_PVAR_HANDLE_NULL;
  int n = 0, value = 0;
  CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_handle_alloc(session, 0, nullptr, &count, &n) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_start(session, count) == MPI_SUCCESS);
  restart();
  CHECK(calls<&mpi_slots::MPI_T_pvar_start>().size() == 2);
  CHECK(MPI_T_pvar_read(session, count, &value) == MPI_SUCCESS);
  CHECK(value == 11);
  CHECK(MPI_T_pvar_handle_free(session, &count) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi,
                  "a handle whose variable the library of a restart lacks is an error, and is freed nevertheless") {
  const tool_user user;
  MPI_T_cvar_handle handle = limit();
  always<&mpi_slots::MPI_T_cvar_get_index>().gives(int{neutral::err_t_invalid_name});
  restart();
  int value = 0;
  CHECK(MPI_T_cvar_read(handle, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi,
                  "the live MPI's error in MPI_T comes as MPI_T's, and leaves no handle; the last finalize ends all") {
  {
    const tool_user user;
    int n = 0, value = 0;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    expect<&mpi_slots::MPI_T_cvar_handle_alloc>().gives(int{neutral::err_t_out_of_handles});
    CHECK(MPI_T_cvar_handle_alloc(0, nullptr, &handle, &n) == MPI_T_ERR_OUT_OF_HANDLES);
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    CHECK(MPI_T_cvar_handle_alloc(7, nullptr, &handle, &n) == MPI_T_ERR_INVALID_INDEX);
    handle = limit();
    expect<&mpi_slots::MPI_T_cvar_read>().gives(int{neutral::err_t_invalid_handle});
    CHECK(MPI_T_cvar_read(handle, &value) == MPI_T_ERR_INVALID_HANDLE);
    expect<&mpi_slots::MPI_T_cvar_write>().gives(int{neutral::err_t_cvar_set_not_now});
    CHECK(MPI_T_cvar_write(handle, &value) == MPI_T_ERR_CVAR_SET_NOT_NOW);
    freed = 0;
  }
  CHECK(freed == 1);
  CHECK(heard().empty());
}

}  // namespace tool_life_tests
