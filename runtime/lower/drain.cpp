// Services of a drain, and the runtime's own collectives: progress for others on its own communicator, and trivial
// barriers on the program's.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/drain_mail.hpp>
#include <runtime/lower/own_state.hpp>
#include <runtime/lower/real_mpi.hpp>

namespace mana::real_mpi {

namespace {

int class_of(int rc) { return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc); }

}  // namespace

int drain_begin(std::uint64_t number) { return class_of(mails().begin(number)); }

int drain_post(int rank, const void* bytes, std::int64_t n) {
  return class_of(mails().post(rank, bytes, static_cast<std::size_t>(n)));
}

int drain_look(int* taken, int* unsent) {
  const int rc = mails().look();
  *taken = static_cast<int>(mails().taken().size());
  *unsent = static_cast<int>(mails().unsent());
  return class_of(rc);
}

void drain_mail_at(int index, int* from, const void** bytes, std::int64_t* n) {
  const drain_mail::mail& m = mails().taken()[static_cast<std::size_t>(index)];
  *from = m.from;
  *bytes = m.bytes.data();
  *n = static_cast<std::int64_t>(m.bytes.size());
}

int drain_barrier(int* over) {
  bool entered = false;
  const int rc = mails().pass_barrier(&entered);
  *over = entered ? 1 : 0;
  return class_of(rc);
}

void drain_end(std::uint64_t number) { mails().end(number); }

/// If the barrier cannot begin, it counts as over: the program's collective, which comes next, meets the same error.
real<kind::request> begin_barrier(real<kind::comm> comm) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  PMPI_Ibarrier(to_mpi(comm), &barrier);
  return to_neutral<kind::request>(barrier);
}

bool is_barrier_over(real<kind::request>& request) {
  MPI_Request barrier = to_mpi(request);
  int over = 0;
  PMPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
  request = to_neutral<kind::request>(barrier);
  return over != 0;
}

void make_progress() {
  int ignored = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own().world, &ignored, MPI_STATUS_IGNORE);
}

}  // namespace mana::real_mpi
