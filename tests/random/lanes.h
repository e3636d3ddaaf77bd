// Messages that are sent again and again: persistent and partitioned ones.
#pragma once
#include "messages.h"

enum { most_lanes = 8, partitioned_ints = 24 };

/// parts: numbers of partitions of the sender and the receiver, 0: not partitioned. order: of the partitions in this
/// round, of which `marked` are ready; open: some may not be yet, known to all.
struct lane {
  int used, started, from, to, source, target, tag, number;
  int parts[2], order[partitioned_ints], marked, open;
  struct comm* comm;
  struct pending *out, *in;
};
static struct lane lanes[most_lanes];

#if MPI_VERSION >= 4
enum { partitions = 1 };

static void init_send_parts(struct lane* l) {
  struct pending* p = l->out;
  OK(MPI_Psend_init(p->block.bytes, l->parts[0], p->block.n / l->parts[0], MPI_INT, l->target, l->tag, l->comm->handle,
                    MPI_INFO_NULL, &p->request));
}

static void init_receive_parts(struct lane* l) {
  struct pending* p = l->in;
  OK(MPI_Precv_init(p->block.bytes, l->parts[1], p->block.n / l->parts[1], MPI_INT, l->source, l->tag, l->comm->handle,
                    MPI_INFO_NULL, &p->request));
}

/// The sender has partitions ready until only `left` of them are not.
static void mark_ready(struct lane* l, int left) {
  const int n = l->parts[0] - left - l->marked;
  if (n <= 0) return;
  int *from = l->order + l->marked, first = from[0];
  int row = 1;
  while (row < n && from[row] == first + row) ++row;
  if (row == n && mine(2)) OK(MPI_Pready_range(first, first + n - 1, l->out->request));
  else if (mine(2)) OK(MPI_Pready_list(n, from, l->out->request));
  else
    for (int i = 0; i < n; ++i) OK(MPI_Pready(from[i], l->out->request));
  l->marked += n;
}

static void look_at_part(const struct lane* l) {
  const struct pending* p = l->in;
  const int part = mine(l->parts[1]), n = p->block.n / l->parts[1];
  int flag = 0;
  if (!p->active) return;
  OK(MPI_Parrived(p->request, part, &flag));
  for (int i = part * n; flag && i < (part + 1) * n; ++i)
    CHECK(p->block.bytes[i] == val(l->from, l->to, l->number, i), "element %d, number %d", i, l->number);
}
#else
enum { partitions = 0 };
static void init_send_parts(struct lane* l) { (void)l; }
static void init_receive_parts(struct lane* l) { (void)l; }
static void mark_ready(struct lane* l, int left) { (void)l, (void)left; }
static void look_at_part(const struct lane* l) { (void)l; }
#endif

static void new_sender(struct lane* l, struct type* t, int count) {
  struct pending* p = l->out = new_pending(sending, l->comm, 0, 0);
  p->persistent = 1, p->active = 0, p->apart = l->parts[0] != 0;
  p->block = new_block(t, count);
  const void* data = p->block.bytes;
  const MPI_Datatype type = p->block.type;
  const MPI_Comm on = l->comm->handle;
  const int how = mine(3);
  if (l->parts[0]) init_send_parts(l);
  // Open MPI 4.1.4: persistent buffered sends to oneself arrive broken.
  else if (how == 0 && l->to != me) OK(MPI_Bsend_init(data, count, type, l->target, l->tag, on, &p->request));
  else if (how == 1) OK(MPI_Ssend_init(data, count, type, l->target, l->tag, on, &p->request));
  else OK(MPI_Send_init(data, count, type, l->target, l->tag, on, &p->request));
}

static void new_receiver(struct lane* l, struct type* t, int count) {
  struct pending* p = l->in = new_pending(receiving, l->comm, 0, 0);
  p->persistent = 1, p->active = 0, p->apart = l->parts[0] != 0;
  p->from = l->from, p->to = l->to, p->source = l->source, p->tag = l->tag;
  p->block = mine(2) ? new_block(t, count) : new_block(NULL, t ? t->map.n * count : count);
  if (l->parts[1]) init_receive_parts(l);
  else
    OK(MPI_Recv_init(p->block.bytes, p->block.count, p->block.type, l->source, l->tag, l->comm->handle, &p->request));
}

static void new_lane(void) {
  static const int divisors[] = {1, 2, 3, 4, 6, 8, 12, 24};
  struct comm* c = some_comm(any_side);
  struct lane* l = NULL;
  for (int i = 0; i < most_lanes; ++i)
    if (!lanes[i].used) l = &lanes[i];
  // MPICH 4.0.2 hangs with partitioned messages of intercommunicators.
  const int in_parts = pick(2) && partitions && (beyond || !c->inter);
  const int sent = divisors[pick(8)], got = divisors[pick(8)];
  struct type* t = pick(2) && !in_parts ? some_type() : NULL;
  const int count = in_parts ? partitioned_ints : 1 + pick(4);
  if (l == NULL) return;
  *l = (struct lane){.used = 1, .comm = c, .tag = tag_of(++serial), .parts = {in_parts * sent, in_parts * got}};
  pair(c, &l->source, &l->target, &l->from, &l->to);
  if (l->from == me) new_sender(l, t, count);
  if (l->to == me) new_receiver(l, t, count);
}

static void end_parts(struct lane* l) {
  if (l->out && l->parts[0]) mark_ready(l, 0);
  if (l->in && l->parts[1]) look_at_part(l);
  if (l->out) l->out->ready = 1;
  if (l->in) l->in->ready = 1;
  l->open = 0;
}

static void settle(struct lane* l) {
  if (l->open) end_parts(l);
  if (l->out && l->out->active) wait_for(l->out);
  if (l->in && l->in->active) wait_for(l->in);
  l->started = 0;
}

/// c: NULL for all.
static void settle_lanes(const struct comm* c) {
  for (int i = 0; i < most_lanes; ++i)
    if (lanes[i].used && (c == NULL || lanes[i].comm == c)) settle(&lanes[i]);
}

/// A round of l is about to start.
static void prepare_lane(struct lane* l) {
  const int n = l->parts[0];
  l->started = 1, l->number = ++serial, l->marked = 0, l->open = n > 0 && pick(2);
  for (int i = 0; i < n; ++i) l->order[i] = i;
  for (int i = mine(3) ? n - 1 : 0; i > 0; --i) {
    const int j = mine(i + 1), x = l->order[i];
    l->order[i] = l->order[j], l->order[j] = x;
  }
  if (l->out) fill_block(&l->out->block, l->from, l->to, l->number);
  for (int i = 0; l->in && i < l->in->block.span; ++i) l->in->block.bytes[i] = -1;
  struct pending* both[2] = {l->out, l->in};
  for (int i = 0; i < 2; ++i)
    if (both[i]) both[i]->active = 1, both[i]->ready = !l->open, both[i]->number = l->number;
}

/// Those that are chosen begin a new round, all at once or one by one.
static void start_lanes(void) {
  MPI_Request requests[2 * most_lanes];
  MPI_Request* of[2 * most_lanes];
  int n = 0, begun[most_lanes], many = 0;
  const int together = mine(2);
  for (int i = 0; i < most_lanes; ++i) {
    struct lane* l = &lanes[i];
    if (!l->used || pick(2) || blocked(l->comm, l->from, l->to)) continue;
    settle(l);
    prepare_lane(l);
    begun[many++] = i;
    if (l->out) of[n] = &l->out->request, requests[n++] = l->out->request;
    if (l->in) of[n] = &l->in->request, requests[n++] = l->in->request;
  }
  if (together && n > 0) OK(MPI_Startall(n, requests));
  for (int i = 0; !together && i < n; ++i) OK(MPI_Start(&requests[i]));
  for (int i = 0; i < n; ++i) *of[i] = requests[i];
  for (int i = 0; i < many; ++i) {
    struct lane* l = &lanes[begun[i]];
    if (l->parts[0] && l->out) mark_ready(l, l->open ? mine(l->parts[0] + 1) : 0);
  }
}

/// Some rounds whose partitions are not all ready get the others.
static void end_some_parts(void) {
  for (int i = 0; i < most_lanes; ++i)
    if (lanes[i].used && lanes[i].open && pick(2)) end_parts(&lanes[i]);
}

/// Of a communicator that was freed, whose lanes have settled: what they are made of is there until they are freed.
static void last_rounds(const struct comm* c) {
  for (int i = 0; i < most_lanes; ++i) {
    struct lane* l = &lanes[i];
    if (!l->used || l->comm != c || l->parts[0]) continue;
    prepare_lane(l);
    if (l->out) OK(MPI_Start(&l->out->request));
    if (l->in) OK(MPI_Start(&l->in->request));
  }
}

static void free_lane(struct lane* l) {
  struct pending* both[2] = {l->out, l->in};
  settle(l);
  for (int i = 0; i < 2; ++i)
    if (both[i]) OK(MPI_Request_free(&both[i]->request)), free(both[i]->block.bytes), both[i]->used = 0;
  l->used = 0;
}

static void free_lanes(const struct comm* c) {
  for (int i = 0; i < most_lanes; ++i)
    if (lanes[i].used && (c == NULL || lanes[i].comm == c)) free_lane(&lanes[i]);
}
