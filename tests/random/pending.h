// Requests that are under way on this rank, across steps, and the ways to complete them.
#pragma once
#include "types.h"

enum { most_pending = 160 };
enum purpose { sending, receiving, cancelled, collective, generalized };

struct coll;
static void look_at(struct coll* c);
static void free_coll(struct coll* c);

/// `ready`: all that its completion needs has begun, so that waiting for it ends. A persistent one stays when it
/// becomes inactive. Of those that are `apart`, MPICH 4.0.2 knows MPI_Wait at best.
struct pending {
  int used, active, ready, persistent, apart, purpose, number;
  struct comm* comm;
  MPI_Request request;
  struct block block;
  int from, to, source, tag;     // from, to: ranks in MPI_COMM_WORLD; source: what the status has to say
  struct coll* coll;
};

static struct pending pending[most_pending];
static int freed_generalized, made_generalized;

static struct pending* new_pending(int purpose, struct comm* c, int number, int ready) {
  for (int i = 0; i < most_pending; ++i)
    if (!pending[i].used) {
      pending[i] = (struct pending){.used = 1, .active = 1, .ready = ready, .purpose = purpose, .number = number,
                                    .comm = c, .request = MPI_REQUEST_NULL};
      return &pending[i];
    }
  fprintf(stderr, "rank %d: too many requests\n", me);
  abort();
}

/// What the request of this purpose needs has begun. It may have ended before, where another rank is ahead; what p points
/// to is another one then.
static void begun(struct pending* p, int purpose, int number) {
  if (p && p->used && p->purpose == purpose && p->number == number) p->ready = 1;
}

static void check_status(const MPI_Status* status, int source, int tag, int n) {
  int count = -1;
  CHECK(status->MPI_SOURCE == source, "%d, not %d", status->MPI_SOURCE, source);
  CHECK(status->MPI_TAG == tag, "%d, not %d", status->MPI_TAG, tag);
  OK(MPI_Get_count(status, MPI_INT, &count));
  CHECK(count == n, "%d, not %d", count, n);
}

/// The request of p is complete. status: NULL if it was ignored.
static void completed(struct pending* p, const MPI_Status* status) {
  int flag = -1;
  CHECK(p->persistent || p->request == MPI_REQUEST_NULL, "purpose %d", p->purpose);
  switch (p->purpose) {
    case receiving:
      if (status) check_status(status, p->source, p->tag, p->block.n);
      check_block(&p->block, p->from, p->to, p->number);
      break;
    case cancelled:
      if (status) OK(MPI_Test_cancelled(status, &flag)), CHECK(flag == 1, "a receive of what nobody sends");
      break;
    case collective:
      look_at(p->coll);
      if (!p->persistent) free_coll(p->coll);
      break;
    case generalized:
      if (status) OK(MPI_Get_count(status, MPI_INT, &flag)), CHECK(flag == p->number % 100, "%d", flag);
      break;
  }
  p->active = 0;
  if (p->persistent) return;
  free(p->block.bytes);
  p->used = 0;
}

static void wait_for(struct pending* p) {
  MPI_Status status;
  OK(MPI_Wait(&p->request, &status));
  completed(p, &status);
}

static int grequest_query(void* extra, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra % 100);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE, status->MPI_TAG = MPI_ANY_TAG;
  return MPI_SUCCESS;
}

static int grequest_free(void* extra) {
  free(extra), ++freed_generalized;
  return MPI_SUCCESS;
}

static int grequest_cancel(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}

static void begin_generalized(int number) {
  int* extra = malloc(sizeof *extra);
  struct pending* p = new_pending(generalized, NULL, *extra = number, 0);
  OK(MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, extra, &p->request));
  ++made_generalized;
}

static void end_generalized(int all) {
  for (int i = 0; i < most_pending; ++i)
    if (pending[i].used && pending[i].purpose == generalized && !pending[i].ready && (all || mine(2)))
      OK(MPI_Grequest_complete(pending[i].request)), pending[i].ready = 1;
}

/// Some of the pending requests, with nulls and inactive ones among them, in one of the ways that MPI has. Tests take
/// any of them, waits only what will end.
static void complete_some(void) {
  enum { most = 24 };
  MPI_Request requests[most];
  MPI_Status statuses[most];
  struct pending* of[most];
  int n = 0, flag = 0, index = -7, ready = 0, active = 0, indices[most];
  const int how = mine(9), ignored = mine(3) == 0, all = how == 0 || how == 6;
  for (int i = 0; i < most_pending && n + 2 < most; ++i) {
    struct pending* p = &pending[i];
    if (mine(8) == 0) requests[n] = MPI_REQUEST_NULL, of[n++] = NULL;
    if (!p->used || mine(2) || (p->apart && !beyond) || (all && p->active && !p->ready)) continue;
    requests[n] = p->request, of[n++] = p;
    active += p->active, ready += p->active && p->ready;
  }
#define PUT_BACK(i) (of[i]->request = requests[i])
#define ENDED(i, status) (CHECK(of[i] && of[i]->active, "%d", i), PUT_BACK(i), completed(of[i], status))
  if (how >= 1 && how <= 2 && active > 0 && ready == 0) return;
  switch (how) {
    case 0:
      OK(MPI_Waitall(n, requests, ignored ? MPI_STATUSES_IGNORE : statuses));
      flag = 1;
      break;
    case 1:
      OK(MPI_Waitany(n, requests, &index, ignored ? MPI_STATUS_IGNORE : &statuses[0]));
      break;
    case 2:
      OK(MPI_Waitsome(n, requests, &flag, indices, ignored ? MPI_STATUSES_IGNORE : statuses));
      break;
    case 3:
      OK(MPI_Testall(n, requests, &flag, ignored ? MPI_STATUSES_IGNORE : statuses));
      break;
    case 4:
      OK(MPI_Testany(n, requests, &index, &flag, ignored ? MPI_STATUS_IGNORE : &statuses[0]));
      if (!flag) index = MPI_UNDEFINED;
      break;
    case 5:
      OK(MPI_Testsome(n, requests, &flag, indices, ignored ? MPI_STATUSES_IGNORE : statuses));
      break;
    case 6:
      for (int i = 0; i < n; ++i) {
        const int live = of[i] && of[i]->active;
        OK(MPI_Wait(&requests[i], ignored ? MPI_STATUS_IGNORE : &statuses[0]));
        if (live) ENDED(i, ignored ? NULL : &statuses[0]);
      }
      return;
    case 7:
      for (int i = 0; i < n; ++i) {
        const int live = of[i] && of[i]->active;
        OK(MPI_Test(&requests[i], &flag, ignored ? MPI_STATUS_IGNORE : &statuses[0]));
        if (live && flag) ENDED(i, ignored ? NULL : &statuses[0]);
      }
      return;
    default:
      for (int i = 0; i < n; ++i) {
        OK(MPI_Request_get_status(requests[i], &flag, ignored ? MPI_STATUS_IGNORE : &statuses[0]));
        if (flag && !ignored && of[i] && of[i]->active && of[i]->purpose == receiving)
          check_status(&statuses[0], of[i]->source, of[i]->tag, of[i]->block.n);
        if (requests[i] == MPI_REQUEST_NULL) CHECK(flag);
      }
      return;
  }
  if (how == 0 || how == 3) {
    for (int i = 0; flag && i < n; ++i)
      if (of[i] && of[i]->active) ENDED(i, ignored ? NULL : &statuses[i]);
  } else if (how == 1 || how == 4) {
    if (active == 0) CHECK(index == MPI_UNDEFINED, "%d", index);
    if (index != MPI_UNDEFINED) ENDED(index, ignored ? NULL : &statuses[0]);
  } else {
    if (active == 0) CHECK(flag == MPI_UNDEFINED, "%d", flag);
    for (int i = 0; flag != MPI_UNDEFINED && i < flag; ++i) ENDED(indices[i], ignored ? NULL : &statuses[i]);
  }
}

/// Waits for all that is ready, of one communicator or of all (NULL).
static void wait_for_all(const struct comm* c) {
  for (int i = 0; i < most_pending; ++i)
    if (pending[i].used && pending[i].active && pending[i].ready && (c == NULL || pending[i].comm == c))
      wait_for(&pending[i]);
}

/// Not too many on any rank: each rank completes its oldest if need be.
static void make_room(void) {
  int n = 0;
  for (int i = 0; i < most_pending; ++i) n += pending[i].used;
  if (n > most_pending / 2) wait_for_all(NULL);
}
