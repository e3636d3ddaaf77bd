// Messages between two members of a communicator. Each has a tag of its own; what is sent and received in which action
// is known to all ranks, so that nobody waits for what begins later.
#pragma once
#include "pending.h"

enum { most_messages = 12, no_tag = 32000 };

struct message {
  int used, sent, received, from, to, source, target, number, special;      // source, target: ranks in the comm
  struct comm* comm;
  struct block out, in;          // of those whom it concerns
  struct pending *sending, *receiving;
};
static struct message messages[most_messages];

static int tag_of(int number) { return number % 30000; }

/// Two members, side and rank of the sender and the receiver; the same one perhaps.
static void pair(struct comm* c, int* source, int* target, int* from, int* to) {
  const int s = c->inter ? pick(2) : 0, t = c->inter ? 1 - s : 0;
  *source = pick(c->n[s]), *target = pick(c->n[t]);
  *from = c->who[s][*source], *to = c->who[t][*target];
}

static int blocked(const struct comm* c, int from, int to) {
  for (int i = 0; i < most_messages; ++i)
    if (messages[i].used && messages[i].comm == c && messages[i].special && messages[i].from == from &&
        messages[i].to == to) return 1;
  return 0;
}

static int unreceived(const struct comm* c, int from, int to) {      // from < 0: from anybody
  for (int i = 0; i < most_messages; ++i)
    if (messages[i].used && messages[i].comm == c && !messages[i].received && messages[i].to == to &&
        (from < 0 || messages[i].from == from)) return 1;
  return 0;
}

static void post_send(struct message* m, int alone) {
  m->sent = 1;
  begun(m->receiving, receiving, m->number);
  if (m->from != me) return;
  const MPI_Datatype type = m->out.type;
  const void* data = m->out.bytes;
  const int count = m->out.count, to = m->target, tag = tag_of(m->number), big = m->out.n > 500;
  const MPI_Comm on = m->comm->handle;
  int how = mine(6);
  // Alone, nobody receives yet: only what returns at once.
  if (how <= 1 && alone) how += 2;
  if (how == 4 && big) how = 2;
  if (how == 0) OK(MPI_Send(data, count, type, to, tag, on));
  if (how == 1) OK(MPI_Ssend(data, count, type, to, tag, on));
  if (how == 4) OK(MPI_Bsend(data, count, type, to, tag, on));
  if (how == 0 || how == 1 || how == 4) {
    free(m->out.bytes);
    return;
  }
  MPI_Request request;
  if (how == 2) OK(MPI_Isend(data, count, type, to, tag, on, &request));
  if (how == 3) OK(MPI_Issend(data, count, type, to, tag, on, &request));
  if (how == 5 && !big) OK(MPI_Ibsend(data, count, type, to, tag, on, &request));
  if (how == 5 && big) OK(MPI_Isend(data, count, type, to, tag, on, &request));
  // MPICH 4.0.2 delivers zeros of a message to oneself whose request is freed.
  if (mine(8) == 0 && m->from != m->to) {
    OK(MPI_Request_free(&request));      // nobody tells when the buffer may go: it stays
    return;
  }
  struct pending* p = new_pending(sending, m->comm, m->number, m->received || (how == 5 && !big));
  p->request = request, p->block = m->out;
  m->sending = p;
}

static void post_receive(struct message* m, int alone) {
  m->received = 1;
  begun(m->sending, sending, m->number);
  if (m->to != me) return;
  const MPI_Datatype type = m->in.type;
  void* data = m->in.bytes;
  const MPI_Comm on = m->comm->handle;
  const int count = m->in.count, tag = tag_of(m->number);
  const int from = mine(3) ? m->source : MPI_ANY_SOURCE;      // the tag is this message's own
  const int any_tag = m->special ? MPI_ANY_TAG : tag;
  int how = alone ? 5 : mine(8), flag = 0;
  MPI_Status status, probed;
  MPI_Message message;
  MPI_Request request;
  switch (how) {
    case 0:
      OK(MPI_Probe(from, tag, on, &probed));
      check_status(&probed, m->source, tag, m->in.n);
      OK(MPI_Recv(data, count, type, probed.MPI_SOURCE, probed.MPI_TAG, on, &status));
      break;
    case 1:
      while (!flag) OK(MPI_Iprobe(from, tag, on, &flag, &probed));
      check_status(&probed, m->source, tag, m->in.n);
      OK(MPI_Recv(data, count, type, m->source, tag, on, &status));
      break;
    case 2:
      OK(MPI_Mprobe(from, tag, on, &message, &probed));
      check_status(&probed, m->source, tag, m->in.n);
      OK(MPI_Mrecv(data, count, type, &message, &status));
      CHECK(message == MPI_MESSAGE_NULL);
      break;
    case 3:
      while (!flag) OK(MPI_Improbe(from, tag, on, &flag, &message, &probed));
      OK(MPI_Imrecv(data, count, type, &message, &request));
      break;
    case 4:
      OK(MPI_Recv(data, count, type, from, tag, on, &status));
      break;
    default:
      OK(MPI_Irecv(data, count, type, m->special ? m->source : from, any_tag, on, &request));
      break;
  }
  if (how == 3 || how > 4) {
    struct pending* p = new_pending(receiving, m->comm, m->number, m->sent);
    p->request = request, p->block = m->in, p->from = m->from, p->to = m->to, p->source = m->source, p->tag = tag;
    m->receiving = p;
    return;
  }
  check_status(&status, m->source, tag, m->in.n);
  check_block(&m->in, m->from, m->to, m->number);
  free(m->in.bytes);
}

/// The datatype may be freed between the two halves of a message, which has its own: freed when it is in use.
static void own_type(struct block* b) {
  if (b->type != MPI_INT) OK(MPI_Type_dup(b->type, &b->type));
}

static void free_own_type(MPI_Datatype type) {
  if (type != MPI_INT) OK(MPI_Type_free(&type));
}

static void send_now(struct message* m, int alone) {
  const MPI_Datatype type = m->out.type;
  post_send(m, alone);
  if (m->from == me) free_own_type(type);
}

static void receive_now(struct message* m, int alone) {
  const MPI_Datatype type = m->in.type;
  post_receive(m, alone);
  if (m->to == me) free_own_type(type);
}

static void new_message(void) {
  struct message* m = NULL;
  struct comm* c = some_comm(any_side);
  for (int i = 0; i < most_messages; ++i)
    if (!messages[i].used) m = &messages[i];
  struct type* t = pick(2) ? some_type() : NULL;
  int source, target, from, to;
  pair(c, &source, &target, &from, &to);
  if (m == NULL || blocked(c, from, to)) return;
  const int count = t ? 1 + pick(4) : pick(6) == 0 ? 20000 : pick(60), other = pick(2), order = pick(3);
  *m = (struct message){.used = 1, .from = from, .to = to, .source = source, .target = target, .number = ++serial,
                        .comm = c};
  m->special = order == 1 && pick(2) && !unreceived(c, from, to);     // its receive takes any tag
  if (from == me) {
    m->out = new_block(t, count);
    own_type(&m->out);
    fill_block(&m->out, from, to, m->number);
  }
  if (to == me) {
    m->in = t && other ? new_block(t, count) : new_block(NULL, t ? t->map.n * count : count);
    own_type(&m->in);
  }
  if (order == 0) send_now(m, 1);
  if (order == 1) receive_now(m, 1);
  if (order == 2 && from == to) {
    if (mine(2)) send_now(m, 1), receive_now(m, 0);
    else receive_now(m, 1), send_now(m, 0);
  } else if (order == 2) {
    m->sent = m->received = 1;
    send_now(m, 0), receive_now(m, 0);
  }
  if (order == 2) m->used = 0;
}

/// The half of a message that is missing.
static void end_message(struct message* m) {
  if (m->sent) receive_now(m, 0);
  else send_now(m, 0);
  m->used = 0;
}

static void end_some_message(void) {
  int at[most_messages], n = 0;
  for (int i = 0; i < most_messages; ++i)
    if (messages[i].used) at[n++] = i;
  if (n > 0) end_message(&messages[at[pick(n)]]);
}

static void end_messages(const struct comm* c) {
  for (int i = 0; i < most_messages; ++i)
    if (messages[i].used && (c == NULL || messages[i].comm == c)) end_message(&messages[i]);
}

/// Several messages with one tag arrive in their order.
static void row(void) {
  struct comm* c = some_comm(any_side);
  int source, target, from, to;
  pair(c, &source, &target, &from, &to);
  const int n = 2 + pick(4), number = serial += n, tag = tag_of(number);
  if (blocked(c, from, to)) return;
  MPI_Request requests[6];
  int data[6][8], in[6][8];
  for (int i = 0; from == me && i < n; ++i) {
    fill(data[i], 8, from, to, number - i);
    OK(MPI_Isend(data[i], 8, MPI_INT, target, tag, c->handle, &requests[i]));
  }
  for (int i = 0; to == me && i < n; ++i) {
    OK(MPI_Recv(in[i], 8, MPI_INT, source, tag, c->handle, MPI_STATUS_IGNORE));
    CHECK(same(in[i], 8, from, to, number - i));
    took(number - i, in[i], sizeof in[i]);
  }
  if (from == me) OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
}

/// One takes a message from each of the others as they come; the barrier keeps later ones away.
static void anybody(void) {
  struct comm* c = some_comm(any_side);
  const int t = c->inter ? pick(2) : 0, s = c->inter ? 1 - t : 0, target = pick(c->n[t]), number = ++serial;
  const int to = c->who[t][target], tag = tag_of(number);
  int data[8], in[8], seen = 0, expected = 0, busy = unreceived(c, -1, to);
  for (int i = 0; i < c->n[s]; ++i) expected += c->who[s][i] != to, busy |= blocked(c, c->who[s][i], to);
  if (busy || !member(c)) return;
  if (me != to && (!c->inter || c->side == s)) {
    fill(data, 8, me, to, number);
    OK(MPI_Send(data, 8, MPI_INT, target, tag, c->handle));
  }
  for (; me == to && seen < expected; ++seen) {
    MPI_Status status;
    OK(MPI_Recv(in, 8, MPI_INT, MPI_ANY_SOURCE, mine(2) ? MPI_ANY_TAG : tag, c->handle, &status));
    const int from = c->who[s][status.MPI_SOURCE];
    CHECK(status.MPI_TAG == tag);
    CHECK(same(in, 8, from, to, number));
    took(number + 1000000 * from, in, sizeof in);
  }
  OK(MPI_Barrier(c->handle));
}

/// The receive is there before the ready send, which a message from the receiver says.
static void ready_send(void) {
  struct comm* c = some_comm(any_side);
  int source, target, from, to;
  pair(c, &source, &target, &from, &to);
  const int number = ++serial, tag = tag_of(number);
  if (blocked(c, from, to) || blocked(c, to, from) || from == to) return;
  int data[16], in[16];
  MPI_Request request;
  if (to == me) {
    OK(MPI_Irecv(in, 16, MPI_INT, source, tag, c->handle, &request));
    OK(MPI_Send(NULL, 0, MPI_BYTE, source, tag, c->handle));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(same(in, 16, from, to, number));
    took(number, in, sizeof in);
  }
  if (from == me) {
    fill(data, 16, from, to, number);
    OK(MPI_Recv(NULL, 0, MPI_BYTE, target, tag, c->handle, MPI_STATUS_IGNORE));
    if (mine(2)) OK(MPI_Rsend(data, 16, MPI_INT, target, tag, c->handle));
    else OK(MPI_Irsend(data, 16, MPI_INT, target, tag, c->handle, &request)), OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
}

/// A synchronous send as a handshake: it is complete when its receiver has come to its receive, and so has told a witness
/// before, by a synchronous send of its own. What the sender tells the witness then comes second.
static void handshake(void) {
  struct comm* c = some_comm(0);
  const int n = c->n[0];
  if (n < 2) return;
  const int source = pick(n), target = (source + 1 + pick(n - 1)) % n, drawn = pick(n);
  const int third = drawn == target ? source : drawn, number = serial += 2;
  const int from = c->who[0][source], to = c->who[0][target], witness = c->who[0][third];
  if (blocked(c, from, to) || blocked(c, from, witness) || blocked(c, to, witness) || !member(c)) return;
  int data[8], in[8], told[2] = {-1, -1};
  MPI_Request sent, heard[2];
  for (int i = 0; me == witness && i < 2; ++i)
    OK(MPI_Irecv(&told[i], 1, MPI_INT, MPI_ANY_SOURCE, tag_of(number - 1), c->handle, &heard[i]));
  if (me == from) {
    fill(data, 8, from, to, number);
    if (mine(2)) OK(MPI_Ssend(data, 8, MPI_INT, target, tag_of(number), c->handle));
    else OK(MPI_Issend(data, 8, MPI_INT, target, tag_of(number), c->handle, &sent)), OK(MPI_Wait(&sent, MPI_STATUS_IGNORE));
    OK(MPI_Send(&source, 1, MPI_INT, third, tag_of(number - 1), c->handle));
  }
  if (me == to) {
    const struct timespec later = {0, mine(pause_ms + 1) * 1000000L};
    nanosleep(&later, NULL);
    OK(MPI_Ssend(&target, 1, MPI_INT, third, tag_of(number - 1), c->handle));
    OK(MPI_Recv(in, 8, MPI_INT, source, tag_of(number), c->handle, MPI_STATUS_IGNORE));
    CHECK(same(in, 8, from, to, number));
    took(number, in, sizeof in);
  }
  if (me != witness) return;
  OK(MPI_Waitall(2, heard, MPI_STATUSES_IGNORE));
  CHECK(told[0] == target && told[1] == source, "%d, then %d", told[0], told[1]);
}

/// Around a communicator, everybody at once.
static void shift(void) {
  struct comm* c = some_comm(0);
  const int n = c->n[0], by = pick(n), number = ++serial, tag = tag_of(number), how = pick(4);
  for (int i = 0; i < n; ++i)
    if (blocked(c, c->who[0][i], c->who[0][(i + by) % n])) return;
  if (!member(c)) return;
  const int right = (c->rank + by) % n, left = (c->rank + n - by) % n, from = c->who[0][left], to = c->who[0][right];
  int data[32], in[32];
  MPI_Status status;
  fill(data, 32, me, to, number);
  memcpy(in, data, sizeof in);
  if (how % 2) OK(MPI_Sendrecv_replace(in, 32, MPI_INT, right, tag, left, tag, c->handle, &status));
  else OK(MPI_Sendrecv(data, 32, MPI_INT, right, tag, in, 32, MPI_INT, left, tag, c->handle, &status));
  check_status(&status, left, tag, 32);
#if MPI_VERSION >= 4
  // MPICH 4.0.2 hangs with a message to oneself; it leaves statuses empty.
  if (beyond && by > 0) {
    MPI_Request request;
    memcpy(in, data, sizeof in);
    if (how % 2) OK(MPI_Isendrecv_replace(in, 32, MPI_INT, right, tag, left, tag, c->handle, &request));
    else OK(MPI_Isendrecv(data, 32, MPI_INT, right, tag, in, 32, MPI_INT, left, tag, c->handle, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
#endif
  CHECK(same(in, 32, from, me, number));
  took(number, in, sizeof in);
}

/// A receive of what nobody sends.
static void cancel(void) {
  struct comm* c = some_comm(any_side);
  const int number = ++serial;
  if (!member(c) || mine(3)) return;
  struct pending* p = new_pending(cancelled, c, number, 0);
  p->block = new_block(NULL, 3);
  OK(MPI_Irecv(p->block.bytes, 3, MPI_INT, mine(2) ? 0 : MPI_ANY_SOURCE, no_tag, c->handle, &p->request));
  if (mine(2)) complete_some();
  OK(MPI_Cancel(&p->request)), p->ready = 1;
}
