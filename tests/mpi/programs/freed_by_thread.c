// Blocking calls whose arguments another thread frees while they wait (INV-67). That a call has begun the other rank sees
// by its message, and tells the thread so; then there is a pause, and only then what the call waits for.
#include "check.h"

enum { ping, pong, go, done };

static MPI_Comm comm;
static MPI_Datatype type;

/// The thread of the rank whose call waits: frees what that names when it is told to.
static void* free_both(void* unused) {
  (void)unused;
  OK(MPI_Recv(NULL, 0, MPI_INT, me ^ 1, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  OK(MPI_Type_free(&type));
  OK(MPI_Comm_free(&comm));
  OK(MPI_Send(NULL, 0, MPI_INT, me ^ 1, done, MPI_COMM_WORLD));
  return NULL;
}

static void tell_thread(void) {
  OK(MPI_Send(NULL, 0, MPI_INT, me ^ 1, go, MPI_COMM_WORLD));
  OK(MPI_Comm_free(&comm));
  OK(MPI_Recv(NULL, 0, MPI_INT, me ^ 1, done, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void pause_here(void) {
  const struct timespec pause = {0, pause_ms * 1000000L};
  if (pause_ms > 0) nanosleep(&pause, NULL);
}

/// The first rank of a pair waits in one call, the second lets it wait. Both in MPI_Ssend and in MPI_Sendrecv.
static void wait_in_call(int k, int is_exchange) {
  enum { ints = 6 };
  int sent[ints], received[ints] = {0};
  const int pair = me ^ 1;
  fill(sent, ints, me, pair, k);
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Type_vector(2, 1, 2, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  if (me % 2 == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, free_both, NULL);
    if (is_exchange)
      OK(MPI_Sendrecv(sent, 1, type, pair, ping, received, 1, type, pair, pong, comm, MPI_STATUS_IGNORE));
    else OK(MPI_Ssend(sent, 1, type, pair, ping, comm));
    pthread_join(thread, NULL);
    if (is_exchange) CHECK(received[0] == val(pair, me, k, 0) && received[2] == val(pair, me, k, 2), "step %d", k);
  } else {
    MPI_Message message;
    MPI_Request answer;
    OK(MPI_Send_init(sent, 1, type, pair, pong, comm, &answer));
    OK(MPI_Mprobe(pair, ping, comm, &message, MPI_STATUS_IGNORE));
    tell_thread();
    pause_here();
    OK(MPI_Mrecv(received, 1, type, &message, MPI_STATUS_IGNORE));
    CHECK(received[0] == val(pair, me, k, 0) && received[2] == val(pair, me, k, 2), "step %d", k);
    if (is_exchange) {
      OK(MPI_Start(&answer));
      OK(MPI_Wait(&answer, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&answer));
    OK(MPI_Type_free(&type));
  }
  got(received, sizeof received);
}

int main(int argc, char** argv) {
  if (begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE) < MPI_THREAD_MULTIPLE || ranks % 2 != 0) return finish();
  for (int k = 0; k < steps; ++k) {
    wait_in_call(k, 0);
    wait_in_call(k, 1);
    step(k);
  }
  return finish();
}
