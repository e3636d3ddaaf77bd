// A System V message queue between the ranks, with messages of three types in it at the lines.
// ranks: 2
#include "pair.h"

#include <sys/msg.h>

struct message {
  long type;
  int value;
};

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int id = -1;
  if (me == 0) OK(id = msgget(IPC_PRIVATE, IPC_CREAT | 0600));
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; me == 0 && i <= 3; ++i) {
      const struct message m = {i, 10 * round + i};
      OK(msgsnd(id, &m, sizeof m.value, 0));
    }
    together();
    line();
    for (int i = 3; me == 1 && i >= 1; --i) {
      struct message m = {0, 0};
      CHECK(msgrcv(id, &m, sizeof m.value, i, IPC_NOWAIT) == sizeof m.value && m.value == 10 * round + i, "%d",
            m.value);
    }
    together();
    struct msqid_ds about;
    CHECK(msgctl(id, IPC_STAT, &about) == 0 && about.msg_qnum == 0);
    together();
  }
  if (me == 0) OK(msgctl(id, IPC_RMID, NULL));
  return finish();
}
