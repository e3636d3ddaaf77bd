// A random mix of point-to-point messages and collectives on overlapping communicators; the same seed on all ranks, so
// that they agree about the schedule without talking.
#include "check.h"

static uint64_t state;
static uint32_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

enum { pool = 24, longest = 30000 };
static int out[pool][longest], in[pool][longest];
static MPI_Request sends[pool], receives[pool];
static int last_to[pool], pending_from[pool], pending_tag[pool], pending_n[pool];

static void settle(int i) {
  MPI_Status status;
  if (pending_from[i] < 0) return;
  if (receives[i] == MPI_REQUEST_NULL) {            // announced, never posted: fetched now
    MPI_Recv(in[i], pending_n[i], MPI_INT, i % 2 ? pending_from[i] : MPI_ANY_SOURCE, pending_tag[i], MPI_COMM_WORLD, &status);
  } else {
    MPI_Wait(&receives[i], &status);
  }
  int n = 0;
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(n == pending_n[i] && in[i][n - 1] == pending_tag[i] + n - 1 && status.MPI_SOURCE == pending_from[i]);
  MIX(in[i][n / 2]);
  pending_from[i] = -1;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int n = steps_of(argc, argv);
  MPI_Comm comms[4];
  state = 12345;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, me / 2, -me, &comms[2]);
  comms[3] = MPI_COMM_WORLD;
  for (int i = 0; i < pool; ++i) sends[i] = receives[i] = MPI_REQUEST_NULL, pending_from[i] = last_to[i] = -1;
  for (int k = 0; k < n; ++k) {
    for (int e = 0; e < 20; ++e) {
      const uint32_t what = next() % 10, from = next() % (uint32_t)ranks, to = next() % (uint32_t)ranks, slot = next() % pool;
      const int length = 1 + (int)(next() % (next() % 4 == 0 ? longest : 100)), tag = k * 20 + e;
      if (what < 6) {                               // a message that is received much later
        // A slot is used again only when its last message is through, on both sides: its receiver fetches it first.
        if (last_to[slot] == me) settle((int)slot);
        last_to[slot] = (int)to;
        if ((uint32_t)me == from) {
          MPI_Wait(&sends[slot], MPI_STATUS_IGNORE);
          for (int j = 0; j < length; ++j) out[slot][j] = tag + j;
          MPI_Isend(out[slot], length, MPI_INT, (int)to, tag, MPI_COMM_WORLD, &sends[slot]);
        }
        if ((uint32_t)me == to) {
          pending_from[slot] = (int)from, pending_tag[slot] = tag, pending_n[slot] = length;
          if (tag % 3) MPI_Irecv(in[slot], length, MPI_INT, tag % 2 ? (int)from : MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &receives[slot]);
        }
      } else if (what < 9) {
        int x = me + tag, y = 0, size = 0;
        MPI_Comm on = comms[tag % 4];
        MPI_Comm_size(on, &size);
        if (what == 6) MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MAX, on);
        if (what == 7) {
          MPI_Request r;
          MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_MIN, on, &r);
          MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
        if (what == 8) {
          y = tag;
          MPI_Bcast(&y, 1, MPI_INT, tag % size, on);
          CHECK(y == tag);
        }
        MIX(y);
      } else {
        for (int i = 0; i < pool; i += 3) settle(i);
      }
    }
    // Everyone settles at times, so that no slot waits for a receiver that waits for the slot.
    for (int i = 0; i < pool; ++i) settle(i);
    step(k, n, argc, argv);
  }
  for (int i = 0; i < pool; ++i) MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
  for (int c = 0; c < 3; ++c) MPI_Comm_free(&comms[c]);
  return finish();
}
