// A POSIX message queue with messages in it.
#include "fidelity.h"

#include <fcntl.h>
#include <mqueue.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[64], text[64];
  snprintf(name, sizeof name, "/fidelity-%d", getpid());
  struct mq_attr room = {.mq_maxmsg = 5, .mq_msgsize = 32};
  const mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK, 0600, &room);
  OK(queue);
  for (int times = 0; times < 2; ++times) {
    OK(mq_send(queue, "second", 7, 1)), OK(mq_send(queue, "first", 6, 9));
    line();
    unsigned priority = 0;
    CHECK(mq_receive(queue, text, sizeof text, &priority) == 6 && priority == 9, "%s", strerror(errno));
    CHECK(mq_receive(queue, text, sizeof text, &priority) == 7 && priority == 1, "%s", strerror(errno));
    CHECK(mq_receive(queue, text, sizeof text, &priority) == -1 && errno == EAGAIN);
    CHECK(mq_getattr(queue, &room) == 0 && room.mq_msgsize == 32 && room.mq_maxmsg == 5);
  }
  OK(mq_close(queue)), OK(mq_unlink(name));
  return finish();
}
