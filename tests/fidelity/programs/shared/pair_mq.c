// A POSIX message queue that both ranks have open, with messages of two priorities in it at the lines.
// ranks: 2
#include "pair.h"

#include <mqueue.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[64], text[64];
  int id = getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "/fidelity-pair-%d", id);
  struct mq_attr shape = {.mq_maxmsg = 4, .mq_msgsize = sizeof text};
  mqd_t queue = -1;
  if (me == 0) OK(queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &shape));
  together();
  if (me == 1) OK(queue = mq_open(name, O_RDONLY | O_NONBLOCK));
  for (int round = 0; round < 2; ++round) {
    if (me == 0) OK(mq_send(queue, "low", 4, 1)), OK(mq_send(queue, "high", 5, 7));
    together();
    line();
    unsigned priority = 0;
    if (me == 1) {
      CHECK(mq_receive(queue, text, sizeof text, &priority) == 5 && !strcmp(text, "high") && priority == 7, "%u",
            priority);
      CHECK(mq_receive(queue, text, sizeof text, &priority) == 4 && !strcmp(text, "low") && priority == 1, "%u",
            priority);
      CHECK(mq_receive(queue, text, sizeof text, &priority) == -1 && errno == EAGAIN);
    }
    together();
  }
  OK(mq_close(queue));
  if (me == 0) OK(mq_unlink(name));
  return finish();
}
