#include <runtime/lower/life.hpp>

#include <runtime/lower/convert.hpp>
#include <runtime/lower/own_state.hpp>
#include <runtime/lower/prepare_start.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <runtime/words/last_words.hpp>
#include <mana/lower/abi.hpp>
#include <runtime/words/processors.hpp>

#include <cstdlib>
#include <cstring>

namespace mana::real_mpi {

namespace {

bool running = false;

/// Counts the ranks on this host, and the cores that any of them may use, since launchers bind each rank to its own.
/// The masks are first made equally long: if a kernel does not answer a rank, that rank's mask is short.
int measure_host(own_state& o) {
  MPI_Comm host = MPI_COMM_NULL;
  int rc = PMPI_Comm_split_type(own().world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  if (rc != MPI_SUCCESS) return rc;
  processor_mask cores = allowed_processors();
  int words = static_cast<int>(cores.size());
  PMPI_Comm_size(host, &o.host_ranks);
  rc = PMPI_Allreduce(MPI_IN_PLACE, &words, 1, MPI_INT, MPI_MAX, host);
  if (rc == MPI_SUCCESS) {
    cores.resize(static_cast<std::size_t>(words));
    rc = PMPI_Allreduce(MPI_IN_PLACE, cores.data(), words, MPI_UNSIGNED_LONG, MPI_BOR, host);
  }
  o.host_cores = processors_in(cores);
  PMPI_Comm_free(&host);
  return rc;
}

int make_own() {
  own_state& o = own();
  int rc = PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_dup(MPI_COMM_WORLD, &o.world);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_dup(MPI_COMM_WORLD, &o.mail);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_set_errhandler(o.mail, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_dup(MPI_COMM_SELF, &o.self);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_dup(o.self, &o.lone);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_set_errhandler(o.lone, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_set_errhandler(o.world, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_set_errhandler(o.self, MPI_ERRORS_RETURN);
  // From o.world, not from MPI_COMM_WORLD: MPICH 4.0 crashes in MPI_Comm_create_group on a duplicate if nobody has
  // asked for its group.
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_group(o.world, &o.world_group);
  if (rc == MPI_SUCCESS) rc = measure_host(o);
  if (o.host_ranks > o.host_cores) o.polls_before_yield = 16;
  return rc;
}

}  // namespace

own_state& own() noexcept {
  static own_state state;
  return state;
}

int start(int required, int* provided) {
  prepare_start(required);
  int rc = PMPI_Init_thread(nullptr, nullptr, lower::real_constant<kind::thread_level>(required), provided);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  *provided = lower::neutral_constant<kind::thread_level>(*provided);
  rc = make_own();
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  int size = 0, rank = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  lower::bridge& b = lower::the_bridge();
  b.world_size = static_cast<std::uint32_t>(size);
  b.world_rank = static_cast<std::uint32_t>(rank);
  fill_predefined_handles();
  b.predefined_real[neutral::comm_hidden] = lower::bits_of(own().world);
  running = true;
  return neutral::success;
}

void fill_predefined_handles() noexcept { lower::fill_predefined(lower::the_bridge().predefined_real); }

int finish() {
  own_state& o = own();
  end_windows();
  PMPI_Group_free(&o.world_group);
  if (o.parity != MPI_COMM_NULL) PMPI_Comm_free(&o.parity);
  PMPI_Comm_free(&o.lone);
  PMPI_Comm_free(&o.self);
  PMPI_Comm_free(&o.mail);
  PMPI_Comm_free(&o.world);
  running = false;
  const int rc = PMPI_Finalize();
  return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
}

bool is_an_mpi() noexcept { return true; }

bool is_running() noexcept { return running; }

int thread_level() noexcept {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return lower::neutral_constant<kind::thread_level>(level);
}

void abort(int exit_code) {
  if (running) abort_as_program(exit_code);
  words::await_last_words();
  std::_Exit(exit_code);
}

void abort_as_program(int exit_code) {
  words::await_last_words();
  PMPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

std::string library_name() { return family::long_name; }

/// MPI_Get_library_version may be called before MPI_Init. In its text the number follows a word that ends in "Version:"
/// (MPICH) or a "v" (Open MPI).
std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS) return "unknown";
  const char* from = std::strpbrk(text, "0123456789");
  if (from == nullptr) return "unknown";
  return std::string(from, std::strspn(from, "0123456789.abrc"));
}

}  // namespace mana::real_mpi
