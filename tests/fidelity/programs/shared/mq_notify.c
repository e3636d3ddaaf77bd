// Message queues that notify the program: by a signal with a value, which the program orders again each time, and by
// nothing (SIGEV_NONE). Also a queue that has notified already, and one without a name.
#include "fidelity.h"

#include <mqueue.h>
#include <signal.h>

enum { queues = 4 };
static volatile int told, code, value;

static void handler(int number, siginfo_t* info, void* unused) {
  (void)number, (void)unused;
  value = info->si_value.sival_int;
  code = info->si_code;
  ++told;
}

static mqd_t open_queue(int which, int unlinked) {
  char name[64];
  const struct mq_attr room = {.mq_maxmsg = 4, .mq_msgsize = 8};
  snprintf(name, sizeof name, "/fidelity-notify-%d-%d", (int)getpid(), which);
  const mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &room);
  CHECK(queue >= 0, "%s", strerror(errno));
  if (unlinked) OK(mq_unlink(name));
  return queue;
}
static void ask(mqd_t queue, int kind, int with) {
  const struct sigevent event = {.sigev_notify = kind, .sigev_signo = SIGRTMIN + 3, .sigev_value.sival_int = with};
  OK(mq_notify(queue, &event));
}
static int is_busy(mqd_t queue) {
  const struct sigevent event = {.sigev_notify = SIGEV_NONE};
  if (mq_notify(queue, &event) == 0) return mq_notify(queue, NULL);
  return errno == EBUSY;
}
static void send_and_take(mqd_t queue) {
  char text[8];
  OK(mq_send(queue, "x", 1, 0));
  OK(mq_receive(queue, text, sizeof text, NULL));
}

int main(int argc, char** argv) {
  char names[2][64];
  begin(&argc, &argv);
  const struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  OK(sigaction(SIGRTMIN + 3, &action, NULL));
  for (int i = 0; i < 2; ++i) snprintf(names[i], sizeof names[i], "/fidelity-notify-%d-%d", (int)getpid(), i);
  const mqd_t all[queues] = {open_queue(0, 0), open_queue(1, 0), open_queue(2, 1), open_queue(3, 1)};
  ask(all[0], SIGEV_SIGNAL, 11), ask(all[1], SIGEV_NONE, 0), ask(all[2], SIGEV_SIGNAL, 22), ask(all[3], SIGEV_SIGNAL, 33);
  send_and_take(all[3]);
  CHECK(told == 1 && value == 33, "%d, %d", told, value);
  for (int round = 0; round < 2; ++round) {
    line();
    for (int i = 0; i < queues; ++i) CHECK(is_busy(all[i]) == (i != 3), "queue %d", i);
    CHECK(told == 1 + 2 * round, "%d", told);
    send_and_take(all[3]);
    CHECK(told == 1 + 2 * round, "%d", told);
    send_and_take(all[0]);
    CHECK(told == 2 + 2 * round && value == 11 + round && code == SI_MESGQ, "%d, %d, %d", told, value, code);
    CHECK(!is_busy(all[0]));
    send_and_take(all[2]);
    CHECK(told == 3 + 2 * round && value == 22 + round && code == SI_MESGQ, "%d, %d, %d", told, value, code);
    ask(all[0], SIGEV_SIGNAL, 12 + round), ask(all[2], SIGEV_SIGNAL, 23 + round);
  }
  for (int i = 0; i < 2; ++i) OK(mq_unlink(names[i]));
  return finish();
}
