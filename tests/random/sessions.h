// Sessions (MPI-4.0): opened and finalized by all; groups of process sets, communicators of groups alone.
#pragma once
#include "groups.h"

#if MPI_VERSION < 4
static void session_action(void) {}
static void end_sessions(void) {}
#else

enum { most_sessions = 2 };
/// id: what communicators and groups of it have in `session`.
struct session { int used, id; MPI_Session handle; };
static struct session sessions[most_sessions];
static int session_errors;

static void on_session_error(MPI_Session* session, int* code, ...) { (void)session, (void)code, ++session_errors; }

static struct session* some_session(void) {
  struct session* s = &sessions[pick(most_sessions)];
  return s->used ? s : NULL;
}

static void open_session(void) {
  struct session* s = NULL;
  for (int i = 0; i < most_sessions; ++i)
    if (!sessions[i].used) s = &sessions[i];
  if (s == NULL) return;
  MPI_Info info = MPI_INFO_NULL;
  s->used = 1, s->id = ++serial;
  if (mine(2)) OK(MPI_Info_create(&info)), OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE"));
  OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &s->handle));
  if (info != MPI_INFO_NULL) OK(MPI_Info_free(&info));
}

/// All that was made of it ends before it does.
static void close_session(struct session* s) {
  for (int i = most_comms - 1; i > 0; --i)
    if (comms[i].used && comms[i].session == s->id) release(born(&comms[i]));
  wait_for_all(NULL);
  for (int i = 0; i < most_groups; ++i)
    if (groups[i].used && groups[i].session == s->id) free_group(&groups[i]);
  OK(MPI_Session_finalize(&s->handle));
  CHECK(s->handle == MPI_SESSION_NULL);
  s->used = 0;
}

static void group_of_session(const struct session* s) {
  struct group* g = unused_group();
  if (g == NULL) return;
  g->n = ranks, g->session = s->id;
  for (int i = 0; i < ranks; ++i) g->who[i] = i, g->holders |= 1 << i;
  OK(MPI_Group_from_session_pset(s->handle, "mpi://WORLD", &g->handle));
  enter_group(g);
}

/// Of a group of the session that all its members hold.
static void comm_of_session(const struct session* s) {
  const struct group* g = some_group();
  struct comm* d = unused_comm(NULL);
  if (g == NULL || d == NULL || g->session != s->id) return;
  for (int i = 0; i < g->n; ++i)
    if (!(g->holders >> g->who[i] & 1)) return;
  char tag[32];
  snprintf(tag, sizeof tag, "random %d", ++serial);
  d->session = s->id, d->n[0] = g->n;
  memcpy(d->who[0], g->who, sizeof g->who);
  place(d);
  if (member(d)) OK(MPI_Comm_create_from_group(g->handle, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &d->handle));
  enter(d);
  name_it(d);
}

/// Process sets, what is said of them, error handlers: each rank alone.
static void ask_session(const struct session* s) {
  int sets = 0, size = -1, there = 0;
  char text[16] = "";
  MPI_Group own;
  MPI_Info info;
  OK(MPI_Session_get_num_psets(s->handle, MPI_INFO_NULL, &sets));
  CHECK(sets >= 2, "%d", sets);
  OK(MPI_Group_from_session_pset(s->handle, "mpi://SELF", &own));
  OK(MPI_Group_size(own, &size));
  CHECK(size == 1, "%d", size);
  OK(MPI_Group_free(&own));
  OK(MPI_Session_get_pset_info(s->handle, "mpi://WORLD", &info));
  OK(MPI_Info_get(info, "mpi_size", (int)sizeof text - 1, text, &there));
  CHECK(there && atoi(text) == ranks, "%s", text);
  OK(MPI_Info_free(&info));
  OK(MPI_Session_get_info(s->handle, &info));
  OK(MPI_Info_free(&info));
  MPI_Errhandler before, counting;
  const int errors = session_errors;
  OK(MPI_Session_get_errhandler(s->handle, &before));
  OK(MPI_Session_create_errhandler(on_session_error, &counting));
  OK(MPI_Session_set_errhandler(s->handle, counting));
  OK(MPI_Errhandler_free(&counting));
  OK(MPI_Session_call_errhandler(s->handle, MPI_ERR_OTHER));
  CHECK(session_errors == errors + 1);
  if (mine(2)) OK(MPI_Session_set_errhandler(s->handle, before));
  OK(MPI_Errhandler_free(&before));
}

static void session_action(void) {
  struct session* s = some_session();
  const int what = pick(8);
  if (s == NULL) open_session();
  else if (what < 2) group_of_session(s);
  else if (what < 5) comm_of_session(s);
  else if (what < 7) ask_session(s);
  else close_session(s);
}

static void end_sessions(void) {
  for (int i = 0; i < most_sessions; ++i)
    if (sessions[i].used) close_session(&sessions[i]);
}
#endif
