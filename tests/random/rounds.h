// Persistent collectives: started, completed and started again across steps.
#pragma once
#include "collectives.h"

#if MPI_VERSION < 4
static void rounds_action(void) {}
static void end_rounds(const struct comm* c) { (void)c; }
#else

enum { most_rounds = 4 };
/// Known to all; p: of members.
struct rounds { int used; struct comm* comm; struct coll* coll; struct pending* p; };
static struct rounds standing[most_rounds];

static void new_rounds(void) {
  struct rounds* r = NULL;
  for (int i = 0; i < most_rounds; ++i)
    if (!standing[i].used) r = &standing[i];
  if (r == NULL) return;
  struct comm* c = some_comm(any_side);
  struct coll* k = new_coll(c, 1);
  *r = (struct rounds){.used = 1, .comm = c, .coll = k};
  if (k == NULL) return;
  // MPICH 4.0.2 takes the data of a gather at its initialisation, and goes wrong in later starts of the others.
  if (!beyond && k->kind == gather) k->kind = alltoall, prepare(k);
  if (!beyond && (k->kind == scatter || k->kind == allgather)) k->kind = barrier, prepare(k);
  r->p = new_pending(collective, c, k->number, 1);
  r->p->persistent = r->p->apart = 1, r->p->active = 0, r->p->coll = k;
  call(k, persistent, &r->p->request);
}

static void end_round(struct rounds* r) {
  if (r->p && r->p->active) wait_for(r->p);
}

static void start_round(struct rounds* r) {
  const int number = ++serial;
  if (r->p == NULL) return;
  end_round(r);
  r->coll->number = r->p->number = number;
  prepare(r->coll);
  OK(MPI_Start(&r->p->request));
  r->p->active = 1;
}

static void free_rounds(struct rounds* r) {
  end_round(r);
  if (r->p) OK(MPI_Request_free(&r->p->request)), r->p->used = 0, free_coll(r->coll);
  r->used = 0;
}

static void rounds_action(void) {
  struct rounds* r = &standing[pick(most_rounds)];
  const int what = pick(6);
  if (!r->used) new_rounds();
  else if (what < 4) start_round(r);
  else if (what == 4) end_round(r);
  else free_rounds(r);
}

static void end_rounds(const struct comm* c) {
  for (int i = 0; i < most_rounds; ++i)
    if (standing[i].used && (c == NULL || standing[i].comm == c)) free_rounds(&standing[i]);
}
#endif
