// A random MPI program that checks itself: SEED decides what it does, in STEPS steps of some actions each. All ranks
// draw the same numbers, so that each knows what all of them do, and actions are begun in one order by all: none waits
// for what begins later. Arguments: SEED STEPS [PAUSE [beyond | anywhere]], `beyond` for what MPICH 4.0.2 itself gets
// wrong, `anywhere` without what any of the libraries gets wrong.
#include "objects.h"
#include "sessions.h"
#include "windows.h"

#include <unistd.h>

static void act(void) {
  make_room();
  switch (pick(41)) {
    case 0: duplicate(); break;
    case 1: split(); break;
    case 2: create(); break;
    case 3: with_topology(); break;
    case 4: part_of_cart(); break;
    case 5: make_intercomm(); break;
    case 6: merge(); break;
    case 7:
    case 8: release_some(); break;
    case 9: attributes(); break;
    case 10: error_handlers(); break;
    case 11: compare(); break;
    case 12:
    case 13: make_type(); break;
    case 14: free_type(); break;
    case 15: use_type(); break;
    case 16:
    case 17:
    case 18: new_message(); break;
    case 19:
    case 20: end_some_message(); break;
    case 21: row(), handshake(); break;
    case 22: anybody(); break;
    case 23: ready_send(); break;
    case 24: shift(); break;
    case 25: cancel(); break;
    case 26: new_lane(); break;
    case 27: start_lanes(); break;
    case 28: blocking_collective(); break;
    case 29:
    case 30: nonblocking_collectives(); break;
    case 31: complete_some(); break;
    case 32:
      ++serial;
      if (mine(2)) begin_generalized(serial);
      end_generalized(0);
      break;
    case 34:
    case 35: group_action(); break;
    case 36: session_action(); break;
    case 37:
    case 38: object_action(); break;
    case 33:
    case 39: rounds_action(); break;
    case 40: end_some_parts(); break;
  }
}

/// Actions of windows have numbers of their own, so that the others of a seed are the same with and without them.
enum { of_windows = 1 << 24 };

static void set_up(void) {
  for (int i = 0; i < most_comms; ++i) comms[i].handle = MPI_COMM_NULL, comms[i].unborn = MPI_REQUEST_NULL;
  comms[0].used = 1, comms[0].n[0] = ranks, comms[0].handle = MPI_COMM_WORLD;
  for (int i = 0; i < ranks; ++i) comms[0].who[0][i] = i;
  place(&comms[0]);
  OK(MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval, NULL));
  OK(MPI_Comm_create_errhandler(handle_error, &handler));
  OK(MPI_Op_create(add, 1, &sum_op));
  OK(MPI_Op_create(compose, 0, &affine_op));
  OK(MPI_Type_contiguous(2, MPI_INT, &pair_type));
  OK(MPI_Type_commit(&pair_type));
  begin_objects();
  enum { room = 1 << 20 };
  OK(MPI_Buffer_attach(malloc(room), room));
}

/// Everything that is under way ends, everything that lives is freed.
static void tear_down(void) {
  void* buffer;
  int room;
  begin_action(-1);
  end_windows();
  end_messages(NULL);
  settle_lanes(NULL);
  end_generalized(1);
  wait_for_all(NULL);
  for (int i = 0; i < most_pending; ++i)
    CHECK(!pending[i].used || !pending[i].active, "purpose %d", pending[i].purpose);
  end_sessions();
  for (int i = most_comms - 1; i > 0; --i)
    if (comms[i].used) release(born(&comms[i]));
  for (int i = 0; i < most_groups; ++i)
    if (groups[i].used) free_group(&groups[i]);
  free_lanes(NULL);
  end_rounds(NULL);
  if (comms[0].attribute) OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)), ++deletes;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  for (int i = 0; i < most_types; ++i)
    if (types[i].used) OK(MPI_Type_free(&types[i].handle));
  end_objects();
  OK(MPI_Type_free(&pair_type));
  OK(MPI_Op_free(&sum_op));
  OK(MPI_Op_free(&affine_op));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Comm_free_keyval(&keyval));
  OK(MPI_Buffer_detach(&buffer, &room));
  free(buffer);
  CHECK(copied == copies, "%d, not %d", copied, copies);
  CHECK(deleted == deletes, "%d, not %d", deleted, deletes);
  CHECK(handled == handles, "%d, not %d", handled, handles);
  CHECK(freed_generalized == made_generalized, "%d, not %d", freed_generalized, made_generalized);
}

/// Waits where the checkpoint is to come, if RANDOM_HOLD is WHERE:FILE with this place: until FILE is there. FILE.PID says
/// that this process waits.
static void hold(const char* where) {
  const char* const place = getenv("RANDOM_HOLD");
  const size_t length = strlen(where);
  if (!place || strncmp(place, where, length) != 0 || place[length] != ':') return;
  const char* const file = place + length + 1;
  char mine_of[4096];
  snprintf(mine_of, sizeof mine_of, "%s.%d", file, (int)getpid());
  fclose(fopen(mine_of, "w"));
  const struct timespec pause = {0, 5000000};
  while (access(file, F_OK) != 0) nanosleep(&pause, NULL);
}

int main(int argc, char** argv) {
  hold("before");
  begin(&argc, &argv);
  seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  steps = argc > 2 ? atoi(argv[2]) : 50;
  pause_ms = argc > 3 ? atoi(argv[3]) : 0;
  beyond = argc > 4 && strcmp(argv[4], "beyond") == 0;
  if (argc > 4 && strcmp(argv[4], "anywhere") == 0) over_mpich = over_openmpi = anywhere = 1;
  char name[1024];
  const char* traces = getenv("RANDOM_TRACE");
  if (traces) snprintf(name, sizeof name, "%s.%d", traces, me), trace = fopen(name, "w");
  set_up();
  for (int k = 0, next = 0; k < steps; ++k) {
    begin_action(next++);
    for (int left = 3 + pick(5); left > 0; --left) {
      begin_action(next++);
      act();
      begin_action(of_windows + next);
      if (pick(3) == 0) window_action();
    }
    step(k);
  }
  tear_down();
  const int status = finish();
  hold("after");
  if (me == 0) printf("step after the end of MPI\n"), fflush(stdout);
  return status;
}
